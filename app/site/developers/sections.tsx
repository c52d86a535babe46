import '~/styles/legal.css';
import '~/styles/developers.css';
import { useTranslation } from 'react-i18next';
import { PageHeading } from '~/ui/page-layouts';
import { TableScroller } from '~/ui/table-scroller';

/** A part of a text for developers; `text` may have `code` and [links](/to). */
export type Block = { text: string } | { code: string; language: string; name: string } | Table;

interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
}

export interface Section {
  id: string;
  title: string;
  /** Of a title that is in English whatever the language of the page. */
  isEnglish?: true;
  blocks: Block[];
}

export interface DevelopersText {
  title: string;
  lead: string;
  sections: Section[];
}

/** A page for developers. */
export function DevelopersPage({ title, lead, sections }: DevelopersText) {
  const { t } = useTranslation('developers');
  return (
    <article className="page legal">
      <PageHeading title={title} lead={lead} />
      <ContentsList sections={sections} title={t('contents')} />
      <div className="legal-text developers">
        <Sections sections={sections} />
      </div>
    </article>
  );
}

/** Technical text is in English, its headings may not be. */
function Sections({ sections }: { sections: Section[] }) {
  return sections.map(({ id, title, isEnglish, blocks }) => (
    <section key={id} aria-labelledby={id}>
      <h2 id={id} lang={isEnglish && 'en'}>
        {title}
      </h2>
      <div lang="en">
        {blocks.map((block, index) => (
          <Part key={keyOf(block)} block={block} id={`${id}-${index}`} />
        ))}
      </div>
    </section>
  ));
}

function ContentsList({ sections, title }: { sections: Section[]; title: string }) {
  return (
    <nav className="chapters" aria-labelledby="chapters">
      <h2 id="chapters">{title}</h2>
      <ol>
        {sections.map((section) => (
          <li key={section.id}>
            <a href={`#${section.id}`} lang={section.isEnglish && 'en'}>
              {section.title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function keyOf(block: Block): string {
  return 'text' in block ? block.text : 'code' in block ? block.name : block.caption;
}

/** Longer tables are folded. */
const LONG = 12;

function Part({ block, id }: { block: Block; id: string }) {
  if ('text' in block)
    return (
      <p>
        <Inline text={block.text} />
      </p>
    );
  if ('code' in block)
    return (
      <figure className="example">
        <figcaption>{block.name}</figcaption>
        <pre>
          <code>{block.code}</code>
        </pre>
      </figure>
    );
  if (block.rows.length <= LONG) return <FieldTable block={block} id={id} />;
  return (
    <details>
      <summary>{block.caption}</summary>
      <FieldTable block={{ ...block, caption: `${block.caption}, ${block.rows.length} rows` }} id={id} />
    </details>
  );
}

function FieldTable({ block, id }: { block: Table; id: string }) {
  return (
    <TableScroller labelledBy={id}>
      <table className="table">
        <caption>
          <h3 id={id}>{block.caption}</h3>
        </caption>
        <thead>
          <tr>
            {block.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map(([name = '', ...cells]) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              {cells.map((cell, index) => (
                <td key={block.columns[index + 1]}>
                  <Inline text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}

function Inline({ text }: { text: string }) {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part, index) => {
    const [, label, to] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    const key = `${index}${part}`;
    if (label)
      return (
        <a key={key} href={to}>
          {label}
        </a>
      );
    return part.startsWith('`') ? <code key={key}>{part.slice(1, -1)}</code> : part;
  });
}
