/** A browser test that must catch a barrier. */
interface BrowserCheck {
  /** File below `e2e/`. */
  spec: string;
  /** Regular expression that matches the test's title. */
  title: string;
  project: 'js' | 'no-js';
  /** For tests that visit every page: regular expression for the names of the affected pages. */
  pages?: string;
}

/** A unit test that must catch a barrier. */
interface UnitCheck {
  /** File below `tests/`. */
  unit: string;
  title: string;
}

export type Check = BrowserCheck | UnitCheck;

/** A deliberate fault that makes a page inaccessible to some users, and the test that must catch it. */
export interface Barrier {
  name: string;
  file: string;
  /** The original source text, which must occur exactly once in the file. */
  from: string;
  to: string;
  caughtBy: Check;
}

/** The accessibility test of every page, limited to the pages whose names match. */
export function onPages(pages: string, locale: 'gb' | 'de' = 'gb'): Check {
  return {
    spec: 'quality/accessibility.spec.ts',
    title: `our own rules: ${locale}\\b`,
    project: 'js',
    pages,
  };
}
