import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import { ModulePicture } from '~/ui/module-art';
import type { PricingData } from './pricing.server';

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

// Heart, arrow that turns back, card.
const PICTURES = [
  ['never', '66ffffff7e3c1800'],
  ['moneyBack', '2060fcfe6723073e'],
  ['cards', '00ff81ffff81b1ff'],
] as const;

export function PricingPromises({ terms }: Pick<PricingData, 'terms'>) {
  const { t } = useTranslation('pricing');
  return (
    <div className="promises band">
      <ul>
        {PICTURES.map(([name, rows]) => (
          <li key={name}>
            <ModulePicture rows={rows} />
            <h2>{t(`${name}.title`)}</h2>
            <p className="muted">{t(`${name}.text`, terms)}</p>
            {name === 'cards' && (
              <div className="cards">
                <ul>
                  {CARDS.map((card) => (
                    <li key={card}>{card}</li>
                  ))}
                </ul>
              </div>
            )}
          </li>
        ))}
      </ul>
      <p>
        <Link to="/faq?category=general" className={buttonClass('secondary')}>
          {t('questions')}
          <Icon name="arrow-right" />
        </Link>
      </p>
    </div>
  );
}
