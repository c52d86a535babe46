import type { CDPSession, Page } from '@playwright/test';
import { findViolations } from '../support/axe';
import { type Account, expect, test, visitorHeaders } from '../support/fixtures';
import { findCutOff, findFixedColours, findHiddenFocus, findSmallTargets } from '../support/look-rules';
import { findFormFaults, findStructureFaults } from '../support/page-rules';
import { LOCALE_CODES, pagesToCheck, THEMES } from '../support/pages';
import { signInByForm } from '../support/sign-in';
import type { Visited } from '../support/visited';

/** A browser window reused for all pages, because opening one per page would take longer than axe does. */
interface Window {
  locale: (typeof LOCALE_CODES)[number];
  page: Page;
  protocol: CDPSession;
}

/** Markup and scripts are the same in every language, and the German texts are the longest. */
const HYDRATED = ['gb', 'de'];
const PASSES = [
  ...LOCALE_CODES.map((locale) => ({ locale, isHydrated: HYDRATED.includes(locale) })),
  { locale: 'gb', isHydrated: false },
] as const;

for (const { locale, isHydrated } of PASSES) {
  const kind = `${locale}${isHydrated ? '' : ', not hydrated'}`;
  test(`every page passes axe and our own rules: ${kind}`, async ({ browser, baseURL, factories }) => {
    test.setTimeout(1_800_000);
    const account = await factories.account();
    const openWindow = async (account?: Account): Promise<Window> => {
      const context = await browser.newContext({
        baseURL: baseURL ?? '',
        reducedMotion: 'reduce',
        extraHTTPHeaders: visitorHeaders(),
      });
      if (account) await signInByForm(context, account);
      await context.addCookies([{ name: 'lng', value: locale, url: baseURL ?? '' }]);
      const page = await context.newPage();
      return { locale, page, protocol: await context.newCDPSession(page) };
    };
    const [owner, visitor] = [await openWindow(account), await openWindow()];
    for (const visited of await pagesToCheck(factories, account)) {
      // The states of a page that an act leads to are checked in English and German.
      if (visited.act && !HYDRATED.includes(locale)) continue;
      await checkPage(visited.signedIn ? owner : visitor, visited, isHydrated);
    }
  });
}

async function checkPage(window: Window, visited: Visited, isHydrated: boolean): Promise<void> {
  const { locale, page, protocol } = window;
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
  if (!isHydrated) expect(await page.locator('html').getAttribute('data-ready')).toBeNull();
  const name = `${visited.name}${isHydrated ? '' : ', not hydrated'}`;
  if (locale !== 'gb') expect.soft(await findViolations(page, 'language'), name).toEqual([]);
  if (locale === 'gb') {
    // The style sheets are the same in all languages, and hydrated or not.
    for (const colorScheme of isHydrated ? THEMES : THEMES.slice(0, 1)) {
      await page.emulateMedia({ colorScheme });
      const changed = colorScheme === THEMES[0] ? undefined : 'theme';
      expect.soft(await findViolations(page, changed), `${name}, ${colorScheme}`).toEqual([]);
      if (isHydrated) expect.soft(await findHiddenFocus(page), `${name}, ${colorScheme}`).toEqual([]);
    }
    const faults = [...(await findFormFaults(page)), ...(await findStructureFaults(page))];
    expect.soft([...faults, ...(await findSmallTargets(page))], name).toEqual([]);
    if (isHydrated) expect.soft(await findFixedColours(page), name).toEqual([]);
  }
  // German has the longest words.
  if (locale === 'de' && isHydrated) expect.soft(await findCutOff(page), name).toEqual([]);
}
