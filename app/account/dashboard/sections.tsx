import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type Locale } from '#contract/locales';
import type { TextName } from '~/i18n/text-keys';
import { Breakable } from '~/ui/breakable';
import { formatNumber } from '~/ui/format';
import { Icon, type IconName } from '~/ui/icon';
import { TableScroller } from '~/ui/table-scroller';
import { DateTime } from '~/ui/time';

const OF_CODES = ['qrcode_create', 'qrcode_update', 'qrcode_delete'] as const;

export interface ActivityRow {
  type: TextName<'dashboard', 'activity.types'>;
  /** When it last happened. */
  at: string;
  ago: string;
  /** How often in a row, for events that are not about codes. */
  times: number;
  /** How many codes it affected. */
  codes: number;
  /** Those that still exist, if there are only a few. */
  named: { id: string; name: string }[];
}

/** Recent events of an account, newest first. */
export function ActivityTable({ activities, locale }: { activities: ActivityRow[]; locale: Locale }) {
  const { t } = useTranslation('dashboard');
  if (activities.length === 0) {
    return (
      <section aria-labelledby="activity-caption">
        <h2 id="activity-caption">{t('activity.heading')}</h2>
        <p className="hint">{t('activity.none')}</p>
      </section>
    );
  }
  return (
    <TableScroller labelledBy="activity-caption">
      <table className="table stacked-table">
        <caption>
          <h2 id="activity-caption">{t('activity.heading')}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('activity.what')}</th>
            <th scope="col">{t('activity.when')}</th>
          </tr>
        </thead>
        <tbody>
          {activities.map((activity) => (
            <tr key={`${activity.type} ${activity.at}`}>
              <th scope="row">
                <What activity={activity} />
              </th>
              <td className="stacked-table__rest">
                {activity.ago}{' '}
                <span className="hint exact">
                  <DateTime value={activity.at} locale={locale} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}

function What({ activity: { type, codes, times, named } }: { activity: ActivityRow }) {
  const { t } = useTranslation('dashboard');
  const ofCodes = OF_CODES.find((one) => one === type);
  return (
    <>
      {ofCodes && codes > 1 ? t(`activity.many.${ofCodes}`, { count: codes }) : t(`activity.types.${type}`)}
      {times > 1 && <span className="hint"> {t('activity.times', { count: times })}</span>}
      {named.length > 0 && (
        <ul className="activity-codes">
          {named.map(({ id, name }) => (
            <li key={id}>
              <Link to={`/user/qrcodes/${id}`}>
                <Breakable text={name} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface Props {
  codes: { id: string; icon: IconName; name: string; visits: number }[];
  locale: Locale;
}

/** The most visited codes; renders nothing when none was visited. */
export function MostVisited({ codes, locale }: Props) {
  const { t } = useTranslation('dashboard');
  if (codes.length === 0) return null;
  return (
    <section className="chart" aria-labelledby="most-visited">
      <h3 id="most-visited">{t('recent.mostVisited')}</h3>
      <p className="hint">{t('recent.utcDays')}</p>
      <ol className="most-visited">
        {codes.map(({ id, icon, name, visits }) => (
          <li key={id}>
            <Icon name={icon} />
            <Link to={`/user/qrcodes/${id}`}>
              <Breakable text={name} />
            </Link>{' '}
            {/* The browser's locale data may differ from the server's. */}
            <span suppressHydrationWarning>{formatNumber(visits, LOCALES[locale].tag)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
