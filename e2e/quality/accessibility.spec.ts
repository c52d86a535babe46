import type { CDPSession, Page } from '@playwright/test';
import { findViolations } from '../support/axe';
import { type Account, complaintsOf, expect, test, visitorHeaders } from '../support/fixtures';
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
  /** The frames of pages that axe has looked at, with the theme. */
  framesSeen: Set<string>;
  complaints: string[];
}

/** What is around the content of each page. */
const FRAME = ['.site-header', '.site-footer', '.consent'];

/** What a page has only before its scripts have run, or looks different then. All else axe sees hydrated. */
const DIFFERS = 'noscript, .print-page, .passing, .selection-bar, .live, search, [data-once]';

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
      const protocol = await context.newCDPSession(page);
      return { page, protocol, framesSeen: new Set(), complaints: complaintsOf(page) };
    };
    const [owner, visitor] = [await openWindow(account), await openWindow()];
    for (const visited of await pagesToCheck(factories, account)) {
      if (pass.isHydrated && visited.isAlike) continue;
      await checkPage(visited.signedIn ? owner : visitor, visited, pass);
    }
  });
}

function nameOf({ locale, isHydrated }: Pass): string {
  return `${locale}${isHydrated ? '' : ', not hydrated'}`;
}

async function checkPage(
  { page, protocol, framesSeen, complaints }: Window,
  visited: Visited,
  pass: Pass,
): Promise<void> {
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
    if (!isHydrated && (await page.locator(DIFFERS).count()) === 0) continue;
    await page.emulateMedia({ colorScheme });
    const without = await framesAsBefore(page, colorScheme, framesSeen);
    const scope = { onlyTheme: colorScheme !== THEMES[0], without };
    expect.soft(await findViolations(page, scope), `${name}, ${colorScheme}`).toEqual([]);
    if (isHydrated) expect.soft(await findHiddenFocus(page, without), `${name}, ${colorScheme}`).toEqual([]);
  }
  const faults = [...(await findFormFaults(page)), ...(await findStructureFaults(page))];
  expect.soft([...faults, ...(await findSmallTargets(page))], name).toEqual([]);
  if (isHydrated) expect.soft(await findFixedColours(page), name).toEqual([]);
  expect.soft(complaints.splice(0), name).toEqual([]);
}

/** Selectors of those parts of the frame whose elements, classes and states an earlier page had in this theme. */
async function framesAsBefore(page: Page, colorScheme: string, seen: Set<string>): Promise<string[]> {
  const shapes = await page.evaluate(
    (parts) =>
      parts.map((part) =>
        [...document.querySelectorAll(`${part}, ${part} *`)]
          .map(({ tagName, className, ariaCurrent, ariaPressed }) => [
            tagName,
            String(className),
            ariaCurrent,
            ariaPressed,
          ])
          .join(),
      ),
    FRAME,
  );
  return FRAME.filter((part, at) => {
    const look = `${colorScheme} ${part} ${shapes[at]}`;
    const isSeen = seen.has(look);
    seen.add(look);
    return isSeen && shapes[at] !== '';
  });
}
