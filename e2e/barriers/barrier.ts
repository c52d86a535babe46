/** A browser test that should notice a barrier. */
interface BrowserCheck {
  /** File below `e2e/`. */
  spec: string;
  /** Matches the test's title, as a regular expression. */
  title: string;
  project: 'js' | 'no-js';
  /** For tests of every page: matches the names of the pages that have the barrier. */
  pages?: string;
}

/** A unit test that should notice it. */
interface UnitCheck {
  /** File below `tests/`. */
  unit: string;
  title: string;
}

export type Check = BrowserCheck | UnitCheck;

/** A fault that shuts somebody out, and the test that must notice it. */
export interface Barrier {
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  from: string;
  to: string;
  seenBy: Check;
}

/** The test that checks every page, run on the named pages only. */
export function onPages(pages: string, locale: 'gb' | 'de' = 'gb'): Check {
  return {
    spec: 'quality/accessibility.spec.ts',
    title: `hydrated and not: ${locale}`,
    project: 'js',
    pages,
  };
}
