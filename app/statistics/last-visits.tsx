import { useTranslation } from 'react-i18next';
import { TableScroller } from '~/ui/table-scroller';

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
