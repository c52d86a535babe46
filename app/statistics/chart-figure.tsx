import { useTranslation } from 'react-i18next';
import { TableScroller } from '~/ui/table-scroller';
import { ChartCaption } from './chart-caption';
import type { Chart, DataTable, Drawing, Lines, SeriesName } from './chart-data';
import { LineSwatch, Plot, Swatch, UnfinishedSwatch } from './plot';
import { PlotValues } from './plot-values';

interface Props {
  chart: Chart;
  /** Further explanation of how it is counted. */
  note?: string | null;
  isSmall?: boolean;
  /** Whether only its finding is shown until it is opened. */
  isFolded?: boolean;
}

/** A chart: its title and main finding, the drawing, and the data as a table. */
export function ChartFigure({ chart, note, isSmall = false, isFolded = false }: Props) {
  const { t } = useTranslation('statistics');
  const { definition, finding, drawing, table } = chart;
  const title = t(`definitions.${definition}.label`);
  const shown = drawing && <DrawnChart {...{ title, definition, drawing, table, isSmall }} />;
  return (
    <figure className="chart explained">
      <ChartCaption definition={definition} finding={finding} note={note} />
      {shown && isFolded ? (
        <details>
          <summary>
            {t('table.chart')} <span className="sr-only">{title}</span>
          </summary>
          {shown}
        </details>
      ) : (
        shown
      )}
    </figure>
  );
}

interface DrawnProps extends Pick<Chart, 'definition' | 'table'> {
  title: string;
  drawing: Drawing;
  isSmall: boolean;
}

function DrawnChart({ title, definition, drawing, table, isSmall }: DrawnProps) {
  const { t } = useTranslation('statistics');
  const series = drawing.kind === 'columns' ? drawing.series.map(({ name }) => name) : [];
  return (
    <>
      {drawing.kind === 'lines' && <LineLegend lines={drawing.lines} />}
      <Legend series={series.length > 1 ? series : []} isUnfinished={isUnfinished(drawing)} />
      <Plot drawing={drawing} isSmall={isSmall}>
        <PlotValues name={definition} title={title} table={table} />
      </Plot>
      <details>
        <summary>
          {t('table.show')} <span className="sr-only">{title}</span>
        </summary>
        <DataTableView id={`table-${definition}`} title={title} table={table} />
      </details>
    </>
  );
}

function LineLegend({ lines }: Pick<Lines, 'lines'>) {
  return (
    <ul className="chart__legend">
      {lines.map(({ letter, name }, position) => (
        <li key={letter}>
          <LineSwatch number={position + 1} />
          {letter}: {name}
        </li>
      ))}
    </ul>
  );
}

function isUnfinished(drawing: Drawing): boolean {
  if (drawing.kind === 'lines') return false;
  if (drawing.kind === 'steps') return drawing.unfinished !== null;
  return drawing.series.some(({ bars }) => bars.some((bar) => bar.isUnfinished));
}

function Legend({ series, isUnfinished }: { series: SeriesName[]; isUnfinished: boolean }) {
  const { t } = useTranslation('statistics');
  if (series.length === 0 && !isUnfinished) return null;
  return (
    <ul className="chart__legend">
      {series.map((name) => (
        <li key={name}>
          <Swatch series={name} />
          {t(`series.${name}`)}
        </li>
      ))}
      {isUnfinished && (
        <li>
          <UnfinishedSwatch />
          {t('series.unfinished')}
        </li>
      )}
    </ul>
  );
}

interface TableProps {
  id: string;
  title: string;
  table: DataTable;
}

/** The data of a chart as a table. */
function DataTableView({ id, title, table: { head, rows } }: TableProps) {
  return (
    <TableScroller labelledBy={id} className="chart__table">
      <table className="table">
        <caption>
          <h4 id={id}>{title}</h4>
        </caption>
        <thead>
          <tr>
            {head.map((name, position) => (
              <th key={name} scope="col" className={position > 0 ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, position) => (
                <td key={head[position + 1]} className="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
