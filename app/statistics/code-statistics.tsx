import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon, type IconName } from '~/ui/icon';
import { TableScroller } from '~/ui/table-scroller';
import { FigureList, type ShownFigure } from './figure-list';

interface Props {
  id: string;
  statistics: { isLocked: true } | { isLocked: false; figures: ShownFigure[]; note: string | null };
}

/** How a code is doing: the figures of a month. */
export function CodeFigures({ id, statistics }: Props) {
  const { t } = useTranslation('statistics');
  if (statistics.isLocked) {
    return (
      <section className="code-figures">
        <h2>{t('sections.visits')}</h2>
        <p>
          {t('codePage.locked')} <Link to="/user/subscription">{t('locked.action')}</Link>
        </p>
      </section>
    );
  }
  return (
    <section className="code-figures">
      <h2>{t('codePage.heading')}</h2>
      <FigureList figures={statistics.figures} />
      {statistics.note && <p className="note">{statistics.note}</p>}
      <p>
        <Link to={`/user/analytics?code=${id}`} className={buttonClass('secondary')}>
          <Icon name="chart" />
          {t('codePage.more')}
        </Link>
      </p>
    </section>
  );
}

const HEALTH_ICONS: Record<string, IconName> = {
  new: 'plus',
  active: 'check',
  quiet: 'clock',
  never: 'warning',
};

/** The state of a code, in one sentence. */
export function HealthLine({ health, text }: { health: string; text: string }) {
  return (
    <p className={`health health--${health}`}>
      <Icon name={HEALTH_ICONS[health] ?? 'info'} />
      <span>{text}</span>
    </p>
  );
}

interface Visit {
  id: string;
  at: string;
  time: string;
  how: string;
  who: string;
  device: string;
  language: string;
}

const HEADS = ['when', 'how', 'who', 'device', 'language'] as const;

/** The latest visits, newest first; renders nothing when there are none. */
export function LastVisits({ visits }: { visits: Visit[] }) {
  const { t } = useTranslation('statistics');
  if (visits.length === 0) return null;
  return (
    <div className="code-page__visits">
      <TableScroller labelledBy="last-visits" className="last-visits">
        <table className="table">
          <caption>
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
    </div>
  );
}
