import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { Icon } from '~/ui/icon';
import { PhoneFrame } from '~/ui/phone-frame';
import { Sheet } from '~/ui/sheet';

interface Props {
  features: TextName<'billing', 'aside.features'>[];
  /** The drawing of the draft; nothing if there is none or it cannot be drawn. */
  picture: ReactNode;
  /** Why the design cannot become a code yet, as a sentence. */
  problem: string | null | undefined;
}

/** Beside an order: the design it is for, and what the plan includes. */
export function OrderAside({ features, picture, problem }: Props) {
  const { t } = useTranslation('billing');
  return (
    <aside className="order-aside" aria-label={t('aside.label')}>
      {picture && (
        <>
          <h2>{t('aside.design')}</h2>
          <p>{t('aside.designText')}</p>
          <PhoneFrame label={t('aside.phone')}>{picture}</PhoneFrame>
        </>
      )}
      {problem && (
        <div className="warning">
          <p>
            {t('aside.unfinished')} {problem}
          </p>
          <p>
            <Link to="/create">{t('aside.mend')}</Link>
          </p>
        </div>
      )}
      <Sheet title={t('aside.included')}>
        <ul className="included">
          {features.map((feature) => (
            <li key={feature}>
              <Icon name="check" />
              {t(`aside.features.${feature}`)}
            </li>
          ))}
        </ul>
      </Sheet>
    </aside>
  );
}
