import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Icon } from '~/ui/icon';

interface Props {
  price: string;
  /** What the page showed when the order was sent. */
  shown: string;
}

// Focused on page load, also without scripts.
const focusTarget = { autoFocus: true, tabIndex: -1 };

/** The typed address makes the order cheaper: nothing to correct, but the buyer has to agree. Takes focus. */
export function LowerPrice({ price, shown }: Props) {
  const { t } = useTranslation('billing');
  const box = useRef<HTMLElement>(null);
  const isWithoutPageLoad = useRef(useHydrated());

  useEffect(() => {
    if (isWithoutPageLoad.current) box.current?.focus();
  }, []);

  return (
    <section ref={box} className="lower-price" aria-labelledby="lower-price" {...focusTarget}>
      <h2 id="lower-price">
        <Icon name="check" />
        {t('lowerPrice.heading')}
      </h2>
      <p>{t('lowerPrice.text', { price, shown })}</p>
    </section>
  );
}
