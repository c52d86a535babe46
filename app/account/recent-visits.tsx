import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { CodeType } from '#contract/contents';
import { LOCALES, type Locale } from '~/i18n/locales';
import { formatNumber } from '~/ui/format';
import { Icon } from '~/ui/icon';
import { Sparkline } from '~/ui/sparkline';

const ICONS = { link: 'link', text: 'text', email: 'mail', wifi: 'wifi' } as const;

interface Props {
  days: number[];
  codes: { id: string; type: CodeType; name: string; visits: number }[];
  locale: Locale;
}

/** Visits of the last days, and the most visited codes. */
export function RecentVisits({ days, codes, locale }: Props) {
  const { t } = useTranslation('dashboard');
  const number = (count: number) => formatNumber(count, LOCALES[locale].tag);
  const total = days.reduce((sum, visits) => sum + visits, 0);
  const inWords = t('recent.visits', { count: total, number: number(total), days: days.length });
  return (
    <div className="recent-visits">
      <section aria-labelledby="recent-heading">
        <h2 id="recent-heading">{t('recent.heading', { days: days.length })}</h2>
        <Sparkline days={days} label={inWords} />
        {/* The browser's locale data may differ from the server's. */}
        <p aria-hidden="true" suppressHydrationWarning>
          {inWords}
        </p>
      </section>
      {codes.length > 0 && (
        <section aria-labelledby="most-visited">
          <h2 id="most-visited">{t('recent.mostVisited')}</h2>
          <ol className="most-visited">
            {codes.map(({ id, type, name, visits }) => (
              <li key={id}>
                <Icon name={ICONS[type]} />
                <Link to={`/user/qrcodes/${id}`}>{name}</Link>{' '}
                <span suppressHydrationWarning>
                  {t('recent.visitsOfCode', { count: visits, number: number(visits) })}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}
