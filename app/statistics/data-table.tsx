import type { DataTable } from './chart-data';

// A region that scrolls must be reachable by keyboard (WCAG 2.1.1), which a section is not by itself.
const scrollable = { tabIndex: 0 };

interface Props {
  id: string;
  title: string;
  table: DataTable;
}

/** What a chart shows, in numbers. */
export function DataTableView({ id, title, table: { head, rows } }: Props) {
  return (
    <section className="table-scroller chart__table" aria-labelledby={id} {...scrollable}>
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
    </section>
  );
}
