import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import minified from 'axe-core/axe.min.js';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What a theme changes of a page's violations, beside its markup. */
const THEME_RULES = ['color-contrast', 'link-in-text-block'];

interface Scope {
  onlyTheme?: boolean;
  /** Selectors of elements that were looked at on another page. */
  without?: string[];
}

/**
 * Violations that axe finds on the page in its current state, as `rule: elements`. Axe is loaded once per
 * page and reports violations only: loading it and full reports take twice as long as the rules themselves.
 */
export async function findViolations(
  page: Page,
  { onlyTheme = false, without = [] }: Scope = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await load(page);
  const options: axe.RunOptions = {
    runOnly: onlyTheme ? { type: 'rule', values: THEME_RULES } : { type: 'tag', values: TAGS },
    resultTypes: ['violations'],
  };
  const violations = await page.evaluate(
    async ({ options, exclude }) => {
      const context = { include: [document], exclude };
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(context, options);
      return violations.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html) }));
    },
    { options, exclude: without },
  );
  return violations.map(
    ({ id, elements }) => `${id}: ${elements.map((element) => element.slice(0, 160)).join(' | ')}`,
  );
}

/** By the protocol itself, because `evaluate` takes half as long again to pass a text of this size on. */
async function load(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Runtime.evaluate', { expression: minified.source });
  await protocol.detach();
}
