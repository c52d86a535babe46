import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Rules that depend on colours alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Violations that axe finds on the page in its current state: each rule with the elements that break it. */
export async function findViolations(page: Page, { coloursOnly = false } = {}): Promise<string[]> {
  // Our pages have no frames, so axe can run inside them and needs no window of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (coloursOnly ? axe.withRules(COLOUR_RULES) : axe.withTags(TAGS)).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
