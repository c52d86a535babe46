import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Field, type FieldMeta } from '~/ui/field';

const MAX = 359;

interface Props {
  field: FieldMeta;
  /** As typed. */
  angle: string;
  error: string | undefined;
}

/** Number field for the angle of the gradient, and with scripts a slider, which fills in the number. */
export function AngleField({ field, angle, error }: Props) {
  const { t } = useTranslation('look');
  const slider = useRef<HTMLInputElement>(null);
  const isHydrated = useHydrated();
  const degrees = Math.min(MAX, Math.max(0, Math.round(Number(angle) || 0)));
  // Not React's `onChange`: the look's own listener would render the old angle before React hears of the new one.
  useEffect(() => {
    const element = slider.current;
    if (!element || !isHydrated) return;
    const follow = (event: Event) => {
      const number = document.getElementById(field.id);
      if (!(number instanceof HTMLInputElement)) return;
      event.stopPropagation();
      number.value = element.value;
      number.dispatchEvent(new Event('input', { bubbles: true }));
    };
    element.addEventListener('input', follow);
    return () => element.removeEventListener('input', follow);
  }, [field.id, isHydrated]);
  useEffect(() => {
    if (slider.current) slider.current.value = String(degrees);
  }, [degrees]);
  return (
    <div>
      <Field
        field={field}
        type="number"
        min={0}
        max={MAX}
        label={t('gradient.angle')}
        hint={t('gradient.angleHint')}
        error={error}
        className="look__angle"
        suffix={t('gradient.degrees')}
      />
      {isHydrated && (
        <input
          ref={slider}
          type="range"
          min={0}
          max={MAX}
          defaultValue={degrees}
          aria-label={t('gradient.slider', { name: t('gradient.angle') })}
          aria-valuetext={`${degrees} ${t('gradient.degrees')}`}
          className="look__slider"
        />
      )}
    </div>
  );
}
