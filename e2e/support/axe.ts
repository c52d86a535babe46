import type { Page } from '@playwright/test';
import axe from 'axe-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Rules that depend on colours alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Violations that axe finds on the page in its current state, as `rule: elements`. Axe is loaded once per
 * page and reports violations only: loading it and full reports take twice as long as the rules themselves.
 */
export async function findViolations(page: Page, { coloursOnly = false } = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    runOnly: coloursOnly ? { type: 'rule', values: COLOUR_RULES } : { type: 'tag', values: TAGS },
    resultTypes: ['violations'],
  };
  const violations = await page.evaluate(async (given) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, given);
    return violations.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html) }));
  }, options);
  return violations.map(
    ({ id, elements }) => `${id}: ${elements.map((element) => element.slice(0, 160)).join(' | ')}`,
  );
}
