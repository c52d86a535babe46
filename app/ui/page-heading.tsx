import type { ReactNode } from 'react';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  /** Links or buttons that belong to the whole page. */
  children?: ReactNode;
}

/** The page's one `h1`. */
export function PageHeading({ title, lead, children }: Props) {
  return (
    <div className="page-heading">
      <h1>{title}</h1>
      {lead && <p className="lead">{lead}</p>}
      {children && <div className="actions">{children}</div>}
    </div>
  );
}
