import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { ChartCaption } from './chart-caption';
import type { RankedRow, Ranking } from './chart-data';

const SHOWN_AT_ONCE = 8;

/** A table with a bar in each row. The long tail is collapsed. */
export function RankingFigure({ ranking }: { ranking: Ranking }) {
  const { t } = useTranslation('statistics');
  const { definition, finding, rows } = ranking;
  const id = `ranking-${definition}`;
  const rest = rows.slice(SHOWN_AT_ONCE);
  return (
    <figure className="chart explained">
      <ChartCaption id={id} definition={definition} finding={finding} />
      {rows.length > 0 && (
        <RankedRows labelledBy={id} ranking={ranking} rows={rows.slice(0, SHOWN_AT_ONCE)} />
      )}
      {rest.length > 0 && (
        <details>
          <summary>{t('table.rest', { count: rest.length })}</summary>
          <RankedRows labelledBy={id} ranking={ranking} rows={rest} />
        </details>
      )}
    </figure>
  );
}

function RankedRows({
  labelledBy,
  ranking,
  rows,
}: {
  labelledBy: string;
  ranking: Ranking;
  rows: RankedRow[];
}) {
  const [first, ...others] = ranking.head;
  return (
    <table className="ranking" aria-labelledby={labelledBy}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {others.map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, to, bar, values }) => (
          <tr key={to ?? name}>
            <th scope="row">
              {to ? <Link to={to}>{name}</Link> : name}
              <svg className="ranking__bar" aria-hidden="true">
                <rect width={`${bar}%`} height="100%" />
              </svg>
            </th>
            {values.map((value, position) => (
              <td key={others[position]} className="number">
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
