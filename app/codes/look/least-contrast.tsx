import { useTranslation } from 'react-i18next';
import { contrast, LEAST_CONTRAST, luminance, type Style } from '#contract/style-rules';
import { Receipt } from '~/codes/look/scan-grade';
import { LOCALES } from '~/i18n/locales';
import { useLocale } from '~/i18n/use-locale';

/** The lowest contrast with the background, as a WCAG ratio. */
export function LeastContrast({ style }: { style: Style }) {
  const { t } = useTranslation('look');
  const { tag } = LOCALES[useLocale()];
  const { groundColour, moduleColour, cornerColour, gradientColour } = style;
  const colours = [moduleColour, cornerColour, ...(gradientColour === null ? [] : [gradientColour])];
  const least = Math.min(...colours.map((colour) => contrast(colour, groundColour)));
  const isInverted = colours.some((colour) => luminance(colour) > luminance(groundColour));
  // Rounded down, so that it never shows the required ratio before it is reached.
  const ratio = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(Math.floor(least * 10) / 10);
  const isEnough = least >= LEAST_CONTRAST;
  const text = t(isEnough ? 'contrast.enough' : 'contrast.low', { ratio });
  if (isEnough && isInverted) return <Note state="unread" text={t('contrast.inverted')} />;
  return <Note state={isEnough ? 'reads-back' : 'unread'} text={text} />;
}

function Note({ state, text }: { state: 'reads-back' | 'unread'; text: string }) {
  return (
    <div aria-live="polite">
      <Receipt state={state} text={text} />
    </div>
  );
}
