import '~/styles/figure-list.css';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { ChartFigure } from './chart-figure';
import { ChartFills } from './plot';
import { RankingFigure } from './ranking-figure';
import type { Report } from './report.server';

/** The figures, what stands out, the charts, and what each of them counts. */
export function ReportBody({ report }: { report: Report }) {
  const { t } = useTranslation('statistics');
  return (
    <>
      <ChartFills />
      <FigureTiles figures={report.figures} />
      <section className="statistics__summary sheet" aria-labelledby="summary">
        <h2 id="summary">{t('summary.heading')}</h2>
        <ul>
          {report.summary.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p className="hint">{t('summary.note')}</p>
      </section>
      <ChartFigure chart={report.trend} note={report.trend.note} />
      <div className="statistics__pairs">
        {report.rankings.map((ranking) => (
          <RankingFigure key={ranking.definition} ranking={ranking} />
        ))}
      </div>
      <Definitions report={report} />
    </>
  );
}

function FigureTiles({ figures }: Pick<Report, 'figures'>) {
  const { t } = useTranslation('statistics');
  return (
    <section aria-labelledby="report-figures">
      <h2 id="report-figures" className="sr-only">
        {t('report.figures')}
      </h2>
      <dl className="figure-list report__figures">
        {figures.map(({ definition, label, value, isMeasured, line }) => (
          <div key={definition}>
            <dt>{label}</dt>
            <dd className={isMeasured ? 'figure-list__value' : 'figure-list__unmeasured'}>{value}</dd>
            <dd className="hint">{line ?? t(`lines.${definition}`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Definitions({ report: { figures, trend, rankings } }: { report: Report }) {
  const { t } = useTranslation('statistics');
  const charts = [trend, ...rankings].map(({ definition, note }) => ({
    definition,
    label: t(`definitions.${definition}.label`),
    text: [t(`definitions.${definition}.text`), note].filter(Boolean).join(' '),
  }));
  return (
    <section className="report__definitions" aria-labelledby="definitions">
      <h2 id="definitions">{t('report.definitions')}</h2>
      <dl>
        {[...figures, ...charts].map(({ definition, label, text }) => (
          <Fragment key={definition}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
