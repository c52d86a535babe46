import { type ReactNode, useEffect, useRef, useState } from 'react';

interface Props {
  id: string;
  summary: ReactNode;
  /** Whether it is open when the page opens. */
  isOpen?: boolean;
  /** Opens it whenever it becomes true, for errors in it. */
  hasErrors?: boolean;
  children: ReactNode;
}

/** Something rare, folded away. Neither a change of the code nor a corrected error closes it under the reader. */
export function Fold({ id, summary, isOpen = false, hasErrors = false, children }: Props) {
  const [wasOpen] = useState(isOpen || hasErrors);
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (hasErrors && fold.current) fold.current.open = true;
  }, [hasErrors]);
  return (
    <details ref={fold} className="fold" id={id} open={wasOpen}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
