import { useSearchParams } from '@remix-run/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import type { Style } from '#contract/style-rules';
import type { Drawn } from '~/codes/code/picture';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { CheckboxField, Field } from '~/ui/field';
import { formatNumber } from '~/ui/format';
import { RadioGroup } from '~/ui/radio-group';
import { leastWidth, printAdvice } from './print-advice';

const FORMATS = [
  { value: 'pdf', purpose: 'print' },
  { value: 'png', purpose: 'screen' },
  { value: 'jpeg', purpose: 'photo' },
  { value: 'svg', purpose: 'designer' },
] as const;
export const WIDTHS = {
  millimetres: { min: 15, max: 500, usual: 40 },
  pixels: { min: 300, max: 4096, usual: 1024 },
};

interface Props {
  code: { id: string; dynamic: boolean; visibility: 'private' | 'public'; style: Style | null };
  /** The drawing shown on the page. */
  drawn: Drawn;
  /** Least width of a printed file with the content itself; null if that fits no code. */
  directLeastMm: number | null;
}

/** The one form for all files of a code; each is generated and read back on request. */
export function CodeDownloads(props: Props) {
  const { t } = useTranslation('codes');
  return (
    <section className="sheet" id="downloads">
      <h2>{t('downloads.heading')}</h2>
      <DownloadForm {...props} />
    </section>
  );
}

/** A native form, because the response is a file and not a page; a refused choice is in the query. */
export function DownloadForm({ code: { id, dynamic, visibility, style }, drawn, directLeastMm }: Props) {
  const { t } = useTranslation('codes');
  const [refused] = useSearchParams();
  const distanceOf = useScanningDistance(drawn);
  const least = leastWidth(measuresOf(drawn));
  const usual = { pixels: WIDTHS.pixels.usual, millimetres: usualWidth(drawn) };
  const [width, setWidth] = useState(() => {
    const { min, max } = WIDTHS.millimetres;
    const asked = Number(refused.get('millimetres'));
    return Number.isInteger(asked) && asked >= min && asked <= max ? asked : usual.millimetres;
  });
  const sizeField = (name: keyof typeof WIDTHS, unit: string) => ({
    field: { id: `file-${name}`, name, initialValue: refused.get(name) ?? String(usual[name]) },
    label: t('downloads.width'),
    suffix: unit,
    type: 'number',
    inputMode: 'numeric' as const,
    autoComplete: 'off',
    min: WIDTHS[name].min,
    max: WIDTHS[name].max,
  });
  return (
    <form action={`/user/qrcodes/${id}/download`} className="downloads" noValidate>
      <RadioGroup
        field={{ id: 'file-format', name: 'format', initialValue: refused.get('format') ?? 'pdf' }}
        legend={t('downloads.format')}
        layout="tiles"
        options={FORMATS.map(({ value, purpose }) => ({
          value,
          label: (
            <>
              {t(`downloads.${purpose}`)} <span className="downloads__format">{value.toUpperCase()}</span>
            </>
          ),
        }))}
      />
      <div className="downloads__row">
        <Field
          {...sizeField('millimetres', 'mm')}
          className="downloads__width"
          aria-describedby="file-distance"
          onChange={({ target }) => {
            if (target.validity.valid && target.value !== '') setWidth(target.valueAsNumber);
          }}
        />
        <Field {...sizeField('pixels', 'px')} className="downloads__width" />
        <p className="hint downloads__svg">{t('downloads.svg')}</p>
        <Button>{t('downloads.submit')}</Button>
        <Button variant="quiet" formAction={`/user/qrcodes/${id}/check`}>
          {t('downloads.check')}
        </Button>
      </div>
      <p id="file-distance" className="hint downloads__distance" aria-live="polite">
        {t('downloads.distance', { width, metres: distanceOf(width) })}
      </p>
      <p className="hint">{t('downloads.least', { least })}</p>
      {width < least && (
        <p className="warning downloads__distance">{t('downloads.tooSmall', { width, least })}</p>
      )}
      {style?.transparentGround && <p className="hint downloads__groundless">{t('downloads.noGround')}</p>}
      {dynamic && (
        <details>
          <summary>{t('downloads.direct')}</summary>
          <p>{t('downloads.directText')}</p>
          {directLeastMm === null ? (
            <p className="warning">{t('downloads.directTooLong')}</p>
          ) : (
            <>
              {visibility === 'private' && <p className="warning">{t('downloads.directPrivate')}</p>}
              <CheckboxField
                field={{ id: 'file-variant', name: 'variant', initialValue: refused.get('variant') ?? '' }}
                value="direct"
                label={t('downloads.directChoice')}
                hint={t('downloads.directLeast', { least: directLeastMm })}
              />
            </>
          )}
        </details>
      )}
    </form>
  );
}

/** The printed width that is offered first, in millimetres. */
export function usualWidth(drawn: Drawn): number {
  return Math.max(WIDTHS.millimetres.usual, leastWidth(measuresOf(drawn)));
}

function measuresOf({ size, look }: Drawn) {
  return { size, across: look?.width ?? size };
}

/** Returns a function from a printed width in millimetres to the scanning distance in metres, formatted. */
export function useScanningDistance(drawn: Drawn) {
  const locale = useLocale();
  const options = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return (mm: number) => {
    const { scanDistanceMm } = printAdvice({ ...measuresOf(drawn), mm });
    return formatNumber(scanDistanceMm / 1000, LOCALES[locale].tag, options);
  };
}
