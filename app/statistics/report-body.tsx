import '~/styles/stacked-table.css';
import { useTranslation } from 'react-i18next';
import { TableScroller } from '~/ui/table-scroller';
import { ChartFigure } from './chart-figure';
import { ChartFills } from './plot';
import { RankingFigure } from './ranking-figure';
import type { Report } from './report.server';

/** What stands out, every figure with its definition, and the charts. */
export function ReportBody({ report }: { report: Report }) {
  return (
    <>
      <ChartFills />
      <ul className="report__summary">
        {report.summary.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <FigureTable report={report} />
      <ChartFigure chart={report.trend} />
      <div className="statistics__pairs">
        {report.rankings.map((ranking) => (
          <RankingFigure key={ranking.definition} ranking={ranking} />
        ))}
      </div>
    </>
  );
}

function FigureTable({ report: { figures } }: { report: Report }) {
  const { t } = useTranslation('statistics');
  return (
    <TableScroller labelledBy="report-figures">
      <table className="table stacked-table report__figures">
        <caption>
          <h2 id="report-figures">{t('report.figures')}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('report.figure')}</th>
            <th scope="col">{t('report.value')}</th>
            <th scope="col">{t('report.definitions')}</th>
          </tr>
        </thead>
        <tbody>
          {figures.map(({ definition, label, value, line, text }) => (
            <tr key={definition}>
              <th scope="row">{label}</th>
              <td>
                <strong>{value}</strong> {line && <span className="hint">{line}</span>}
              </td>
              <td className="stacked-table__rest">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
