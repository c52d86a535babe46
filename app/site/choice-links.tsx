import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { isPlainClick } from '~/ui/plain-click';

interface Choice {
  value: string;
  label: ReactNode;
  /** Path of the page with this choice made. */
  to: string;
}

interface Props {
  label: string;
  choices: Choice[];
  chosen: string;
  /** Makes the choice without a navigation; without scripts, the link is followed instead. */
  onChoose: (value: string) => void;
}

/** One of a few views of the same page. */
export function ChoiceLinks({ label, choices, chosen, onChoose }: Props) {
  return (
    <nav className="choices" aria-label={label}>
      <ul>
        {choices.map(({ value, label: text, to }) => (
          <li key={value}>
            <Link
              to={to}
              replace
              preventScrollReset
              aria-current={value === chosen ? 'true' : undefined}
              onClick={(event) => {
                if (!isPlainClick(event)) return;
                event.preventDefault();
                onChoose(value);
              }}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
