import { useTranslation } from 'react-i18next';
import type { Chart, SeriesName } from './chart-data';
import { DataTableView } from './data-table';
import { Plot, Swatch } from './plot';

interface Props {
  chart: Chart;
  /** What else there is to know of how it is counted. */
  note?: string | null;
  isSmall?: boolean;
}

/** A chart: what it is and says, the drawing, and the same as a table. */
export function ChartFigure({ chart, note, isSmall = false }: Props) {
  const { t } = useTranslation('statistics');
  const { definition, finding, drawing, table } = chart;
  const title = t(`definitions.${definition}.label`);
  const series = drawing?.kind === 'columns' ? drawing.series.map(({ name }) => name) : [];
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{finding}</p>
        <p className="hint">
          {t(`definitions.${definition}.text`)} {note}
        </p>
      </figcaption>
      {drawing && (
        <>
          {series.length > 1 && <Legend series={series} />}
          <Plot drawing={drawing} isSmall={isSmall} />
          <details>
            <summary>
              {t('table.show')} <span className="sr-only">{title}</span>
            </summary>
            <DataTableView id={`table-${definition}`} title={title} table={table} />
          </details>
        </>
      )}
    </figure>
  );
}

function Legend({ series }: { series: SeriesName[] }) {
  const { t } = useTranslation('statistics');
  return (
    <ul className="chart__legend">
      {series.map((name) => (
        <li key={name}>
          <Swatch series={name} />
          {t(`series.${name}`)}
        </li>
      ))}
    </ul>
  );
}
