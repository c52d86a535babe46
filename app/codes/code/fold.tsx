import { useLocation } from '@remix-run/react';
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface Props {
  id: string;
  summary: ReactNode;
  /** Its present value, in a list of settings. */
  value?: ReactNode;
  /** Whether it is open when the page opens. */
  isOpen?: boolean;
  /** Opens it whenever it becomes true, for errors in it. */
  hasErrors?: boolean;
  children: ReactNode;
}

/**
 * Something rare, folded away. Neither a change of the code nor a corrected error closes it under the reader; a link
 * to it opens it.
 */
export function Fold({ id, summary, value, isOpen = false, hasErrors = false, children }: Props) {
  const [wasOpen] = useState(isOpen || hasErrors);
  const fold = useRef<HTMLDetailsElement>(null);
  const location = useLocation();
  useEffect(() => {
    if (hasErrors && fold.current) fold.current.open = true;
  }, [hasErrors]);
  useEffect(() => {
    if (location.hash === `#${id}` && fold.current) fold.current.open = true;
  }, [location, id]);
  return (
    <details ref={fold} className="fold" id={id} open={wasOpen}>
      <summary>
        {value === undefined ? (
          summary
        ) : (
          <>
            <span>{summary}</span> <span className="fold__value">{value}</span>
          </>
        )}
      </summary>
      {children}
    </details>
  );
}
