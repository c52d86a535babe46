import { Link } from '@remix-run/react';
import { Button } from '~/ui/button';
import { Icon } from '~/ui/icon';
import type { LegalData } from './legal.server';
import { LegalSection } from './legal-section';
import { LinkedText } from './linked-text';

interface Props {
  data: LegalData;
  /** Id of the section whose wording the law wants set apart. */
  framed?: string;
}

/** A legal text as a sheet to read, to print and to point into. */
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
        {/* Has its room from the start, and shows itself once it works. */}
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
