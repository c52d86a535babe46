import type { ReactNode } from 'react';

interface Props {
  title?: ReactNode;
  /** Id of the section, for links to it. */
  id?: string;
  className?: string;
  children: ReactNode;
}

/** A sheet of paper with a hairline round it. */
export function Sheet({ title, id, className, children }: Props) {
  return (
    <section id={id} className={className ? `sheet ${className}` : 'sheet'}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}
