/** A test of the browser that should see a barrier. */
interface BrowserCheck {
  /** File below `e2e/`. */
  spec: string;
  /** Words of the test's title, as a regular expression. */
  title: string;
  project: 'js' | 'no-js';
  /** For tests that go over every page: the names of those on which the barrier stands. */
  pages?: string;
}

/** A unit test that should see it. */
interface UnitCheck {
  /** File below `tests/`. */
  unit: string;
  title: string;
}

export type Check = BrowserCheck | UnitCheck;

/** A fault that keeps somebody out, and the test that must notice it. */
export interface Barrier {
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  from: string;
  to: string;
  seenBy: Check;
}

/** The test that looks at every page; here only at those named. */
export function onPages(pages: string, locale: 'gb' | 'de' = 'gb'): Check {
  return {
    spec: 'quality/accessibility.spec.ts',
    title: `hydrated and not: ${locale}`,
    project: 'js',
    pages,
  };
}
