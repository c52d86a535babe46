import { Link } from '@remix-run/react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from '~/ui/icon';
import { Sparkline } from '~/ui/sparkline';
import { TableScroller } from '~/ui/table-scroller';
import type { CodeStatistics } from './code-statistics.server';

/** How a code is doing: the figures of a month, small, with what each counts folded away. */
export function CodeFigures({ id, statistics }: { id: string; statistics: CodeStatistics }) {
  const { t } = useTranslation('statistics');
  const { health, healthText, figures, note, recentVisits, recentText } = statistics;
  return (
    <section className="code-figures" aria-labelledby="code-figures">
      <h2 id="code-figures">{t('codePage.heading')}</h2>
      <dl className="code-figures__list">
        {figures.map(({ definition, value }, position) => (
          <div key={definition}>
            <dt>{t(`definitions.${definition}.label`)}</dt>
            <dd className="code-figures__value">{value}</dd>
            {position === 0 && (
              <dd>
                <Sparkline days={recentVisits} label={recentText} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      <p className={`health health--${health}`}>
        <Icon name={HEALTH_ICONS[health] ?? 'info'} />
        <span>{healthText}</span>
      </p>
      <div className="code-figures__more">
        <Link to={`/user/analytics?code=${id}`}>{t('codePage.more')}</Link>{' '}
        <details>
          <summary>{t('codePage.counted')}</summary>
          <dl>
            {figures.map(({ definition }) => (
              <Fragment key={definition}>
                <dt>{t(`definitions.${definition}.label`)}</dt>
                <dd>{t(`definitions.${definition}.text`)}</dd>
              </Fragment>
            ))}
          </dl>
          {note && <p className="note">{note}</p>}
        </details>
      </div>
    </section>
  );
}

const HEALTH_ICONS: Record<string, IconName> = {
  new: 'plus',
  active: 'check',
  quiet: 'clock',
  never: 'warning',
};

/** In place of the figures, for a code whose owner wants no visits counted. */
export function UncountedFigures({ id, hasEarlier }: { id: string; hasEarlier: boolean }) {
  const { t } = useTranslation('statistics');
  return (
    <p className="hint">
      {t('codePage.uncounted')}{' '}
      {hasEarlier && <Link to={`/user/analytics?code=${id}`}>{t('codePage.earlier')}</Link>}
    </p>
  );
}

/** In place of the figures, without a subscription. */
export function LockedFigures() {
  const { t } = useTranslation('statistics');
  return <p className="hint">{t('codePage.locked')}</p>;
}

const HEADS = ['when', 'how', 'who', 'device', 'language'] as const;

/** The latest visits, newest first; renders nothing when there are none. */
export function LastVisits({ visits }: { visits: CodeStatistics['visits'] }) {
  const { t } = useTranslation('statistics');
  if (visits.length === 0) return null;
  return (
    <>
      <TableScroller labelledBy="last-visits" className="last-visits">
        <table className="table">
          <caption className="sr-only">
            <h2 id="last-visits">{t('lastVisits.heading')}</h2>
          </caption>
          <thead>
            <tr>
              {HEADS.map((name) => (
                <th key={name} scope="col">
                  {t(`lastVisits.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visits.map(({ id, at, time, how, who, device, language }) => (
              <tr key={id}>
                <th scope="row">
                  <time dateTime={at}>{time}</time>
                </th>
                <td>{how}</td>
                <td>{who}</td>
                <td>{device}</td>
                <td>{language}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroller>
      <p className="hint">{t('lastVisits.kept')}</p>
    </>
  );
}
