import { useTranslation } from 'react-i18next';
import { LOCALES, type Locale } from '~/i18n/locales';
import { formatNumber } from '~/ui/format';

const FIGURES = ['codes', 'activeCodes', 'scans', 'clicks', 'visitsToday', 'uniqueVisitors30'] as const;

interface Props {
  stats: Record<(typeof FIGURES)[number], number>;
  locale: Locale;
}

/** Figures of an account, each with a line that says what it counts. */
export function Figures({ stats, locale }: Props) {
  const { t } = useTranslation('dashboard');
  return (
    <dl className="figures">
      {FIGURES.map((name) => (
        <div key={name}>
          <dt>{t(`figures.${name}.label`)}</dt>
          {/* The browser's locale data may differ from the server's. */}
          <dd className="figure" suppressHydrationWarning>
            {formatNumber(stats[name], LOCALES[locale].tag)}
          </dd>
          <dd className="hint">{t(`figures.${name}.definition`)}</dd>
        </div>
      ))}
    </dl>
  );
}
