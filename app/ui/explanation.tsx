import '~/styles/explanation.css';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  /** What is explained; part of the name that screen readers announce. */
  name: string;
  children: ReactNode;
}

/** An explanation behind a question mark, in the corner of the nearest element with the class `explained`. */
export function Explanation({ name, children }: Props) {
  const { t } = useTranslation();
  return (
    <details className="explanation">
      <summary>
        <span aria-hidden="true">?</span> <span className="sr-only">{t('explanation', { name })}</span>
      </summary>
      <p>{children}</p>
    </details>
  );
}
