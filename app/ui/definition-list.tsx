import type { ReactNode } from 'react';

/** Terms and their values, ruled like a completed form. */
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
