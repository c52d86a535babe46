import { useTranslation } from 'react-i18next';

interface Visit {
  id: string;
  at: string;
  time: string;
  how: string;
  who: string;
  device: string;
  language: string;
}

// A region that scrolls must be reachable by keyboard (WCAG 2.1.1), which a section is not by itself.
const scrollable = { tabIndex: 0 };

/** Who came last, the newest first; nothing where nobody did. */
export function LastVisits({ visits }: { visits: Visit[] }) {
  const { t } = useTranslation('statistics');
  if (visits.length === 0) return null;
  return (
    <>
      <section className="table-scroller last-visits" aria-labelledby="last-visits" {...scrollable}>
        <table className="table">
          <caption>
            <h3 id="last-visits">{t('lastVisits.heading')}</h3>
          </caption>
          <thead>
            <tr>
              {['when', 'how', 'who', 'device', 'language'].map((name) => (
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
      </section>
      <p className="hint">{t('lastVisits.kept')}</p>
    </>
  );
}
