import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import type { Style } from '#contract/style-rules';
import type { Drawn } from '~/codes/code/picture';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { formatNumber } from '~/ui/format';
import type { CodeFormat } from './formats';
import { printAdvice } from './print-advice';

const WIDTHS_MM = { min: 15, max: 500, usual: 40 };
const WIDTHS_PX = { min: 300, max: 4096, usual: 1024 };

interface Props {
  code: { id: string; dynamic: boolean; visibility: 'private' | 'public'; style: Style | null };
  /** The drawing shown on the page. */
  drawn: Drawn;
}

/** One download form per purpose; each file is generated and read back on request. */
export function CodeDownloads({ code: { id, dynamic, visibility, style }, drawn }: Props) {
  const { t } = useTranslation('codes');
  const names = { id, hasNoGround: style?.transparentGround === true };
  return (
    <section className="sheet" id="downloads">
      <h2>{t('downloads.heading')}</h2>
      <p className="hint">{t('downloads.lead')}</p>
      {!dynamic && <p className="note">{t('downloads.staticText')}</p>}
      <Purposes
        {...names}
        variant={dynamic ? 'tracked' : 'direct'}
        modules={{ size: drawn.size, across: drawn.look?.width ?? drawn.size }}
      />
      {dynamic && (
        <details className="fold">
          <summary>{t('downloads.direct')}</summary>
          <p className="note">{t('downloads.directText')}</p>
          {visibility === 'private' && <p className="warning">{t('downloads.directPrivate')}</p>}
          <Purposes {...names} variant="direct" />
        </details>
      )}
    </section>
  );
}

interface PurposesProps {
  id: string;
  variant: 'tracked' | 'direct';
  /** Whether files are made without a background where the format allows it. */
  hasNoGround: boolean;
  /** Known only for the drawing shown on the page. */
  modules?: { size: number; across: number };
}

function Purposes({ id, variant, hasNoGround, modules }: PurposesProps) {
  const { t } = useTranslation('codes');
  const [width, setWidth] = useState(WIDTHS_MM.usual);
  const distance = useScanningDistance(modules);
  const names = { id, variant };
  return (
    <div className="purposes">
      <Purpose {...names} format="pdf" heading={t('downloads.print')} isMain={variant === 'tracked'}>
        <SizeField
          {...names}
          format="pdf"
          limits={WIDTHS_MM}
          label={t('downloads.width')}
          unit="mm"
          hint={modules && t('downloads.distance', { width, metres: distance(width) })}
          onSize={setWidth}
        />
      </Purpose>
      <Purpose {...names} format="png" heading={t('downloads.screen')}>
        <SizeField {...names} format="png" limits={WIDTHS_PX} label={t('downloads.width')} unit="px" />
        {hasNoGround && <p className="hint">{t('downloads.noGround')}</p>}
      </Purpose>
      <Purpose {...names} format="jpeg" heading={t('downloads.photo')}>
        <SizeField {...names} format="jpeg" limits={WIDTHS_PX} label={t('downloads.width')} unit="px" />
      </Purpose>
      <Purpose {...names} format="svg" heading={t('downloads.designer')}>
        <p className="hint">{t('downloads.svg')}</p>
        {hasNoGround && <p className="hint">{t('downloads.noGround')}</p>}
      </Purpose>
    </div>
  );
}

/** Returns a function from a printed width in millimetres to the scanning distance in metres, formatted. */
function useScanningDistance(
  { size, across }: NonNullable<PurposesProps['modules']> = { size: 0, across: 0 },
) {
  const locale = useLocale();
  const options = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return (mm: number) => {
    const { scanDistanceMm } = printAdvice({ size, across, mm });
    return formatNumber(scanDistanceMm / 1000, LOCALES[locale].tag, options);
  };
}

interface PurposeProps {
  id: string;
  variant: string;
  format: CodeFormat;
  heading: string;
  isMain?: boolean;
  children: ReactNode;
}

/** A native form, because the response is a file and not a page. */
function Purpose({ id, variant, format, heading, isMain = false, children }: PurposeProps) {
  const { t } = useTranslation('codes');
  return (
    <form action={`/user/qrcodes/${id}/download`} className="purpose">
      <h3>{heading}</h3>
      <input type="hidden" name="format" value={format} />
      <input type="hidden" name="variant" value={variant} />
      {children}
      <Button variant={isMain ? 'primary' : 'secondary'}>
        {t('downloads.get', { format: format.toUpperCase() })}
      </Button>
      <Button variant="secondary" size="small" formAction={`/user/qrcodes/${id}/check`}>
        {t('downloads.check', { format: format.toUpperCase() })}
      </Button>
    </form>
  );
}

interface SizeFieldProps {
  variant: string;
  format: string;
  limits: { min: number; max: number; usual: number };
  label: string;
  unit: string;
  hint?: string | 0 | undefined;
  onSize?: (size: number) => void;
}

function SizeField({ variant, format, limits, label, unit, hint, onSize }: SizeFieldProps) {
  const id = `${variant}-${format}-size`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-suffix">
        <input
          type="number"
          id={id}
          name="size"
          className="input"
          min={limits.min}
          max={limits.max}
          defaultValue={limits.usual}
          required
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={({ target }) => {
            if (target.validity.valid) onSize?.(target.valueAsNumber);
          }}
        />
        <span className="suffix">{unit}</span>
      </div>
      {hint && (
        <p id={`${id}-hint`} className="hint" aria-live="polite">
          {hint}
        </p>
      )}
    </div>
  );
}
