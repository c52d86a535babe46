import type { ReactNode } from 'react';

/** Names and what they stand for, ruled like a form that was filled in. */
export function DefinitionList({ items }: { items: { term: ReactNode; value: ReactNode; id?: string }[] }) {
  return (
    <dl className="definitions">
      {items.map(({ term, value, id }, position) => (
        <div key={id ?? position}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
