import { Link } from '@remix-run/react';
import { LinkedText } from '~/site/linked-text';
import { Button } from '~/ui/button';
import { Icon } from '~/ui/icon';
import { TableScroller } from '~/ui/table-scroller';
import type { LegalData, LegalSection as Section } from './legal.server';

interface Props {
  data: LegalData;
  /** Id of the section that the law requires to be set apart. */
  framed?: string;
}

/** A legal text with a table of contents, linkable sections and a print button. */
export function LegalDocument({ data, framed }: Props) {
  const { document, texts, version, origin } = data;
  return (
    <article className="page legal">
      <header className="page-heading">
        <h1>{document.title}</h1>
        <p className="lead">
          <LinkedText origin={origin}>{document.intro}</LinkedText>
        </p>
        <p className="muted">
          <time dateTime={version}>{texts.updated}</time>
          {texts.decisive && (
            <>
              {' · '}
              <Link to="?lng=fr" hrefLang="fr" reloadDocument>
                {texts.decisive}
              </Link>
            </>
          )}
        </p>
        {/* Takes up its space from the start, and becomes visible once it works. */}
        <Button
          type="button"
          variant="secondary"
          size="small"
          className="print-page"
          onClick={() => window.print()}
        >
          <Icon name="print" />
          {texts.print}
        </Button>
      </header>
      <nav className="chapters" aria-labelledby="chapters">
        <h2 id="chapters">{texts.contents}</h2>
        <ol>
          {document.sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="legal-text">
        {document.sections.map((section) => (
          <LegalSection key={section.id} section={section} origin={origin} isFramed={section.id === framed} />
        ))}
      </div>
    </article>
  );
}

interface SectionProps {
  section: Section;
  origin: string;
  isFramed: boolean;
}

export function LegalSection({ section, origin, isFramed }: SectionProps) {
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
