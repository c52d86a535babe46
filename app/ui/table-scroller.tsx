import type { ReactNode } from 'react';

// A region that scrolls must be reachable by keyboard (WCAG 2.1.1), which a section is not by itself.
const scrollable = { tabIndex: 0 };

interface Props {
  /** Id of the table's caption. */
  labelledBy: string;
  className?: string;
  /** The table. */
  children: ReactNode;
}

/** Lets a table wider than the page scroll. */
export function TableScroller({ labelledBy, className, children }: Props) {
  return (
    <section
      className={className ? `table-scroller ${className}` : 'table-scroller'}
      aria-labelledby={labelledBy}
      {...scrollable}
    >
      {children}
    </section>
  );
}
