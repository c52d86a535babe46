import { type ReactNode, useState } from 'react';

interface Props {
  id: string;
  summary: ReactNode;
  /** Whether it is open when the page opens. */
  isOpen?: boolean;
  /** Opens it whenever it becomes true, for errors in it. */
  hasErrors?: boolean;
  children: ReactNode;
}

/** Something rare, folded away. A change of the code does not close it under the reader. */
export function Fold({ id, summary, isOpen = false, hasErrors = false, children }: Props) {
  const [wasOpen] = useState(isOpen);
  return (
    <details className="fold" id={id} open={wasOpen || hasErrors}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
