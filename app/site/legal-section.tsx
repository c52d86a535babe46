import { TableScroller } from '~/ui/table-scroller';
import type { LegalSection as Section } from './legal.server';
import { LinkedText } from './linked-text';

interface Props {
  section: Section;
  origin: string;
  isFramed: boolean;
}

export function LegalSection({ section, origin, isFramed }: Props) {
  const { id, title, body, list, table } = section;
  return (
    <section id={id} className={isFramed ? 'framed' : undefined}>
      <h2>{title}</h2>
      {body.map((paragraph) => (
        <p key={paragraph}>
          <LinkedText origin={origin}>{paragraph}</LinkedText>
        </p>
      ))}
      {list && (
        <ul>
          {list.map((item) => (
            <li key={item}>
              <LinkedText origin={origin}>{item}</LinkedText>
            </li>
          ))}
        </ul>
      )}
      {table && <LegalTable id={id} table={table} origin={origin} />}
    </section>
  );
}

function LegalTable({
  id,
  table,
  origin,
}: {
  id: string;
  table: NonNullable<Section['table']>;
  origin: string;
}) {
  const { caption, head, rows } = table;
  return (
    <TableScroller labelledBy={`${id}-caption`}>
      <table className="table">
        <caption>
          <h3 id={`${id}-caption`}>{caption}</h3>
        </caption>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, column) => (
                <td key={head[column + 1]}>
                  <LinkedText origin={origin}>{cell}</LinkedText>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
