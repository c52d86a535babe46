import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Response } from '@playwright/test';
import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import vnu from 'vnu-jar';
import { expect, test, visitorHeaders } from '../support/fixtures';
import { LOCALE_CODES, pagesToCheck } from '../support/pages';
import { signInTo } from '../support/sign-in';
import type { Visited } from '../support/visited';

const run = promisify(execFile);

const allRules = new HtmlValidate(
  new StaticConfigLoader({
    extends: ['html-validate:recommended', 'html-validate:document', 'html-validate:a11y'],
    rules: {
      // The error summary of a refused form has an h2 and precedes the h1 of its page.
      'heading-level': ['error', { minInitialRank: 'h2' }],
      // React's serialization: some camel-case attributes, self-closed void elements, empty values.
      'attr-case': ['error', { style: ['lowercase', 'camelcase'] }],
      'void-style': ['error', { style: 'selfclose' }],
      'attribute-boolean-style': ['error', { style: 'empty' }],
      'attribute-empty-style': ['error', { style: 'empty' }],
      // The cookie banner submits with inputs, because only those tell a style sheet that they were sent.
      'prefer-button': ['error', { exclude: ['submit'] }],
      // Same-origin files arrive over the same connection as the page, so they need no integrity hash.
      'require-sri': ['error', { target: 'crossorigin' }],
    },
  }),
);

/** Elements and attributes are the same in every language, but a missing or repeated text leaves one without a name. */
const nameRules = new HtmlValidate(
  new StaticConfigLoader({
    rules: {
      'empty-heading': 'error',
      'empty-title': 'error',
      'input-missing-label': 'error',
      'text-content': 'error',
      'unique-landmark': 'error',
      'wcag/h36': 'error',
      'wcag/h37': 'error',
    },
  }),
);

/** Entries that a form was refused on, except those whose pages draw pictures, which takes seconds. */
const REFUSED = /^(?!.*(?:look|restyle)).*, refused$/;

/** Takes minutes, and knows no languages: two, because another text may need another element. */
const SENT_TO_NU: readonly string[] = ['gb', 'de'];

test('the served HTML of every page is valid in every language', async ({
  browser,
  playwright,
  baseURL,
  factories,
}) => {
  test.setTimeout(900_000);
  const account = await factories.account();
  const pages = await pagesToCheck(factories, account);
  const folder = await mkdtemp(join(tmpdir(), 'markup-'));
  const complaints: string[] = [];
  const check = async (locale: string, page: string, html: string) => {
    const name = `${locale} ${page}`.replace(/\W+/g, '-');
    if (SENT_TO_NU.includes(locale)) await writeFile(join(folder, `${name}.html`), html);
    const report = await (locale === LOCALE_CODES[0] ? allRules : nameRules).validateString(html);
    complaints.push(
      ...report.results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, selector }) => `${name}: ${ruleId}: ${message} (${selector})`),
      ),
    );
  };
  for (const locale of LOCALE_CODES) {
    const visitor = await playwright.request.newContext({
      baseURL: baseURL ?? '',
      extraHTTPHeaders: { ...visitorHeaders(), Cookie: `lng=${locale}` },
    });
    const signedIn = await playwright.request.newContext({
      baseURL: baseURL ?? '',
      extraHTTPHeaders: visitorHeaders(),
    });
    await signInTo(signedIn, account);
    for (const visited of servedPages(pages)) {
      const separator = visited.path.includes('?') ? '&' : '?';
      const path = `${visited.path}${separator}lng=${locale}`;
      const response = await (visited.signedIn ? signedIn : visitor).get(path);
      expect(response.status(), visited.path).toBe(visited.status ?? 200);
      expect(response.url(), visited.path).toBe(`${baseURL}${path}`);
      await check(locale, visited.name, await response.text());
    }
    await visitor.dispose();
    await signedIn.dispose();
  }
  for (const isSignedIn of [false, true]) {
    const context = await browser.newContext({
      baseURL: baseURL ?? '',
      locale: 'en-GB',
      javaScriptEnabled: false,
      extraHTTPHeaders: visitorHeaders(),
    });
    if (isSignedIn) await signInTo(context.request, account);
    const page = await context.newPage();
    let shown: Response | undefined;
    page.on('response', (response) => {
      if (response.request().isNavigationRequest()) shown = response;
    });
    for (const { name, path, signedIn = false, act } of pages) {
      if (!act || !REFUSED.test(name) || signedIn !== isSignedIn) continue;
      await page.goto(path);
      await act(page);
      const html = (await shown?.text()) ?? '';
      expect(html, name).toContain('class="error-summary');
      await check('gb', name, html);
    }
    await context.close();
  }
  complaints.push(...(await checkWithNu(folder)));
  await rm(folder, { recursive: true });
  expect([...new Set(complaints)]).toEqual([]);
});

/** Without entries whose page, before anything is done on it, is another's, and without fragments. */
function servedPages(pages: Visited[]): Visited[] {
  const served = new Map<string, Visited>();
  for (const visited of pages) {
    const [path = ''] = visited.path.split('#');
    const key = `${visited.signedIn ?? false} ${path}`;
    if (!served.has(key)) served.set(key, { ...visited, path });
  }
  return [...served.values()];
}

/** Errors and warnings of the Nu HTML checker for every file in a folder. */
async function checkWithNu(folder: string): Promise<string[]> {
  const { stderr } = await run(
    'java',
    ['-jar', vnu, '--format', 'json', '--exit-zero-always', '--skip-non-html', folder],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const { messages } = JSON.parse(stderr) as {
    messages: { type: string; subType?: string; url: string; message: string; extract?: string }[];
  };
  // Skip plain info messages, such as the one about trailing slashes on void elements.
  const findings = messages.filter(({ type, subType }) => type !== 'info' || subType === 'warning');
  return findings.map(({ url, message, extract }) => `${url.split('/').at(-1)}: ${message} ${extract ?? ''}`);
}
