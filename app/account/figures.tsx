import { useTranslation } from 'react-i18next';
import { LOCALES, type Locale } from '~/i18n/locales';
import { formatNumber } from '~/ui/format';

const FIGURES = ['codes', 'activeCodes', 'scans', 'clicks', 'visitsToday', 'uniqueVisitors30'] as const;

interface Props {
  stats: Record<(typeof FIGURES)[number], number>;
  locale: Locale;
}

/** Numbers of an account; below each stands what it counts. */
export function Figures({ stats, locale }: Props) {
  const { t } = useTranslation('dashboard');
  return (
    <dl className="figures">
      {FIGURES.map((name) => (
        <div key={name}>
          <dt>{t(`figures.${name}.label`)}</dt>
          {/* Browsers carry other editions of the language data than the server. */}
          <dd className="figure" suppressHydrationWarning>
            {formatNumber(stats[name], LOCALES[locale].tag)}
          </dd>
          <dd className="hint">{t(`figures.${name}.definition`)}</dd>
        </div>
      ))}
    </dl>
  );
}
