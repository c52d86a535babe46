import { TableScroller } from '~/ui/table-scroller';
import type { DataTable } from './chart-data';

interface Props {
  id: string;
  title: string;
  table: DataTable;
}

/** The data of a chart as a table. */
export function DataTableView({ id, title, table: { head, rows } }: Props) {
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
