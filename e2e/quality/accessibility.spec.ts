import type { CDPSession, Page } from '@playwright/test';
import { findViolations } from '../support/axe';
import { type Account, expect, test, visitorHeaders } from '../support/fixtures';
import { findCutOff, findFixedColours, findHiddenFocus, findSmallTargets } from '../support/look-rules';
import { findFormFaults, findStructureFaults } from '../support/page-rules';
import { pagesToCheck, THEMES } from '../support/pages';
import { findTextFaults } from '../support/plain-text';
import { signInTo } from '../support/sign-in';
import type { Visited } from '../support/visited';

/** A browser window reused for all pages, because opening one per page would take longer than axe does. */
interface Window {
  page: Page;
  protocol: CDPSession;
}

/**
 * Before its scripts run, a page is also read as by a text browser. That pass is in German, whose long words are cut off
 * first; what texts break in other ways is found in the served HTML of all languages (`markup.spec.ts`).
 */
const PASSES = [
  { locale: 'gb', isHydrated: true },
  { locale: 'de', isHydrated: false },
] as const;
type Pass = (typeof PASSES)[number];

for (const pass of PASSES) {
  const { locale } = pass;
  test(`every page passes axe and our own rules: ${nameOf(pass)}`, async ({
    browser,
    baseURL,
    factories,
  }) => {
    test.setTimeout(1_800_000);
    const account = await factories.account();
    const openWindow = async (account?: Account): Promise<Window> => {
      const context = await browser.newContext({
        baseURL: baseURL ?? '',
        reducedMotion: 'reduce',
        extraHTTPHeaders: visitorHeaders(),
      });
      if (account) await signInTo(context.request, account);
      await context.addCookies([{ name: 'lng', value: locale, url: baseURL ?? '' }]);
      const page = await context.newPage();
      return { page, protocol: await context.newCDPSession(page) };
    };
    const [owner, visitor] = [await openWindow(account), await openWindow()];
    for (const visited of await pagesToCheck(factories, account)) {
      await checkPage(visited.signedIn ? owner : visitor, visited, pass);
    }
  });
}

function nameOf({ locale, isHydrated }: Pass): string {
  return `${locale}${isHydrated ? '' : ', not hydrated'}`;
}

async function checkPage({ page, protocol }: Window, visited: Visited, pass: Pass): Promise<void> {
  const { isHydrated } = pass;
  // Unhydrated: turn scripts off until the page is in its state, then on again for axe, itself a script.
  await protocol.send('Emulation.setScriptExecutionDisabled', { value: !isHydrated });
  const response = await page.goto(visited.path);
  expect(response?.status(), visited.path).toBe(visited.status ?? 200);
  const isScripted = isHydrated && !visited.path.startsWith('/r/');
  const ready = page.locator('html[data-ready]');
  if (isScripted) await ready.waitFor({ state: 'attached' });
  await visited.act?.(page);
  if (isScripted) await ready.waitFor({ state: 'attached' });
  await protocol.send('Emulation.setScriptExecutionDisabled', { value: false });
  const name = `${visited.name}, ${nameOf(pass)}`;
  if (!isHydrated) {
    expect(await page.locator('html').getAttribute('data-ready')).toBeNull();
    expect.soft(await findTextFaults(page), name).toEqual([]);
    expect.soft(await findCutOff(page), name).toEqual([]);
  }
  // The style sheets are the same, hydrated or not.
  for (const colorScheme of isHydrated ? THEMES : THEMES.slice(0, 1)) {
    await page.emulateMedia({ colorScheme });
    const onlyTheme = colorScheme !== THEMES[0];
    expect.soft(await findViolations(page, onlyTheme), `${name}, ${colorScheme}`).toEqual([]);
    if (isHydrated) expect.soft(await findHiddenFocus(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  const faults = [...(await findFormFaults(page)), ...(await findStructureFaults(page))];
  expect.soft([...faults, ...(await findSmallTargets(page))], name).toEqual([]);
  if (isHydrated) expect.soft(await findFixedColours(page), name).toEqual([]);
}
