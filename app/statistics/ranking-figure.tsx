import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { ChartCaption } from './chart-caption';
import type { RankedRow, Ranking } from './chart-data';
import { CountryMap } from './country-map';

const SHOWN_AT_ONCE = 8;

interface Props {
  ranking: Ranking;
  /** Rows that are shown at once. */
  most?: number;
  /** Whether only its finding is shown until it is opened. */
  isFolded?: boolean;
}

/** A table with a bar in each row. The long tail is collapsed. */
export function RankingFigure({ ranking, most = SHOWN_AT_ONCE, isFolded = false }: Props) {
  const { t } = useTranslation('statistics');
  const { definition, finding, note, rows, countries } = ranking;
  const id = `ranking-${definition}`;
  const head = isFolded ? [] : rows.slice(0, most);
  const rest = rows.slice(head.length);
  return (
    <figure className="chart explained">
      <ChartCaption id={id} definition={definition} finding={finding} note={note} />
      {countries && <CountryMap countries={countries} />}
      {head.length > 0 && <RankedRows labelledBy={id} ranking={ranking} rows={head} />}
      {rest.length > 0 && (
        <details>
          <summary>
            {isFolded ? t('table.show') : t('table.rest', { count: rest.length })}{' '}
            <span className="sr-only">{t(`definitions.${definition}.label`)}</span>
          </summary>
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
          <tr key={to ?? `${name} ${values.join(' ')}`}>
            <th scope="row">
              {to ? <Link to={to}>{name}</Link> : <span>{name}</span>}
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
