import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { send } from '../../tests/support/json-calls';
import { accountPages } from './account-pages';
import { type Account, expect, type Factories, PHONE } from './fixtures';
import { host } from './host';
import { rulePages } from './rule-pages';
import { signInTo } from './sign-in';
import { twoStepPages } from './two-step-pages';
import type { Visited } from './visited';

export { LOCALE_CODES } from '#contract/locales';
export const THEMES = ['light', 'dark'] as const;

/** Every page of the site in each visually different state; `E2E_PAGES` filters the names by a pattern. */
export async function pagesToCheck(factories: Factories, account: Account): Promise<Visited[]> {
  const wanted = new RegExp(process.env.E2E_PAGES ?? '');
  const pages = (await everyPage(factories, account)).filter(({ name }) => wanted.test(name));
  if (pages.length === 0) throw new Error(`no page is named ${wanted}`);
  return pages;
}

async function everyPage(factories: Factories, account: Account): Promise<Visited[]> {
  const code = await factories.code(account, {
    content: 'https://checked.example/a?b=c',
    logoPreset: 'heart.svg',
  });
  const wifi = await factories.code(account, {
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;',
  });
  const contact = await factories.code(account, {
    type: 'contact',
    content: JSON.stringify({ givenName: 'Ada', workCity: 'Paris', note: 'Ring twice.' }),
  });
  const styled = await factories.code(account, {
    content: 'https://styled.example/',
    style: { moduleShape: 'dots', ringShape: 'circle' },
  });
  const failingContent = `https://failing.example/${randomUUID()}`;
  const failing = await factories.code(account, { content: failingContent });
  await factories.failing(failingContent);
  const quiet = await factories.code(account, { content: 'https://quiet.example/', isCounted: false });
  const quietText = await factories.code(account, { type: 'text', content: 'Sulphites', isCounted: false });
  const deleted = await factories.code(account, {});
  await host.request(`/api/qrcodes/${deleted.id}`, { method: 'DELETE', token: account.token });
  await host.request(`/r/${code.slug}`, { headers: PHONE, redirect: 'manual' });
  // A visit from this long ago makes the relative time a long text.
  await factories.visit(await factories.code(account, {}), 11);
  const style = await saveStyle(account);
  const refused = async (page: Page) => {
    await page.locator('main form button[type=submit]').first().click();
    await page.locator('.error-summary').waitFor();
  };
  const refusedContact = async (page: Page) => {
    await page.locator('main .option:has(input[name=type][value=contact]) label').click();
    for (const fold of await page.locator('.panel--contact summary').all()) await fold.click();
    await refused(page);
  };
  const emptied = async (page: Page) => {
    await page.locator('main input[name=name]').fill('');
    await refused(page);
  };
  return [
    { name: 'home', path: '/' },
    { name: 'create', path: '/create' },
    { name: 'create, refused', path: '/create', act: refused },
    { name: 'create a contact, refused', path: '/create', act: refusedContact },
    { name: 'code whose destination fails', path: `/user/qrcodes/${failing.id}`, signedIn: true },
    { name: 'contact code', path: `/user/qrcodes/${contact.id}`, signedIn: true },
    { name: 'login', path: '/login' },
    { name: 'login, refused', path: '/login', act: refused },
    { name: 'cookie settings', path: '/cookies' },
    { name: 'prices', path: '/pricings' },
    { name: 'yearly prices', path: '/pricings?billing=yearly', isAlike: true },
    { name: 'questions', path: '/faq' },
    { name: 'guide for developers', path: '/developers' },
    { name: 'reference of the API', path: '/developers/reference' },
    { name: 'errors of the API', path: '/developers/errors' },
    { name: 'changes of the API', path: '/developers/changelog' },
    { name: 'questions, found', path: '/faq?q=qr' },
    { name: 'questions, none found', path: '/faq?q=zzzz' },
    { name: 'contact', path: '/contact' },
    { name: 'contact, refused', path: '/contact', act: refused },
    { name: 'contact, sent', path: '/contact?sent=1', isAlike: true },
    { name: 'cookie policy', path: '/cookie-policy' },
    { name: 'privacy policy', path: '/privacy-policy' },
    { name: 'legal notices', path: '/legal-notices' },
    { name: 'terms of sale', path: '/terms-of-sales' },
    { name: 'order', path: '/subscribe/basic_monthly' },
    { name: 'order, refused', path: '/subscribe/basic_monthly', act: refused },
    { name: 'order without a trial', path: '/subscribe/basic_yearly?trial=no', isAlike: true },
    { name: 'cancel the contract', path: '/cancel-contract' },
    { name: 'cancel the contract, refused', path: '/cancel-contract', act: refused },
    { name: 'withdraw', path: '/withdraw' },
    { name: 'money back', path: '/money-back' },
    { name: 'subscription', path: '/user/subscription', signedIn: true },
    { name: 'not found', path: '/no/such/page', status: 404 },
    { name: 'codes', path: '/user/qrcodes', signedIn: true },
    { name: 'codes, found', path: '/user/qrcodes?search=checked&show=all&type=link', signedIn: true },
    { name: 'codes, none found', path: '/user/qrcodes?search=zzzz', signedIn: true, isAlike: true },
    { name: 'tag codes', path: `/user/qrcodes/selection?act=tag&id=${code.id}`, signedIn: true },
    {
      name: 'tag codes, refused',
      path: `/user/qrcodes/selection?act=tag&id=${code.id}`,
      signedIn: true,
      act: refused,
    },
    { name: 'restyle codes', path: `/user/qrcodes/selection?act=style&id=${code.id}`, signedIn: true },
    {
      name: 'restyle codes, refused',
      path: `/user/qrcodes/selection?act=style&id=${wifi.id}`,
      signedIn: true,
      act: refused,
    },
    { name: 'retarget codes', path: `/user/qrcodes/selection?act=retarget&id=${code.id}`, signedIn: true },
    {
      name: 'retarget codes, what would change',
      path: `/user/qrcodes/selection?act=retarget&ids=${code.id},${wifi.id}&kind=replace&find=checked&replacement=new`,
      signedIn: true,
    },
    { name: 'delete codes', path: `/user/qrcodes/selection?act=delete&id=${code.id}`, signedIn: true },
    {
      name: 'make codes private',
      isAlike: true,
      path: `/user/qrcodes/selection?act=make_private&id=${code.id}`,
      signedIn: true,
    },
    { name: 'selected codes', path: `/user/qrcodes?type=wifi&ids=${wifi.id}`, signedIn: true },
    { name: 'job', path: '/user/qrcodes', signedIn: true, act: openJob },
    { name: 'jobs', path: '/user/qrcodes', signedIn: true, act: openJobs },
    { name: 'import', path: '/user/qrcodes/import', signedIn: true },
    { name: 'import, refused', path: '/user/qrcodes/import', signedIn: true, act: refused },
    { name: 'import report, choice of looks', path: '/user/qrcodes/import', signedIn: true, act: openReport },
    { name: 'code', path: `/user/qrcodes/${code.id}`, signedIn: true },
    { name: 'code, all folds open', path: `/user/qrcodes/${code.id}`, signedIn: true, act: openFolds },
    { name: 'code, ready', path: `/user/qrcodes/${code.id}/ready`, signedIn: true },
    {
      name: 'check of a file',
      path: `/user/qrcodes/${styled.id}/check?format=png&size=600`,
      signedIn: true,
    },
    { name: 'look of a code', path: `/user/qrcodes/${code.id}/look`, signedIn: true },
    { name: 'create, look', path: '/create', act: openLook },
    { name: 'saved styles', path: '/user/styles', signedIn: true },
    { name: 'change a saved look', path: `/user/styles/${style.id}`, signedIn: true },
    { name: 'change a saved look, refused', path: `/user/styles/${style.id}`, signedIn: true, act: emptied },
    { name: 'delete a style', path: `/user/styles/${style.id}/delete`, signedIn: true },
    { name: 'ZIP', path: `/user/qrcodes/zip?id=${code.id}&id=${wifi.id}`, signedIn: true },
    {
      name: 'ZIP, refused',
      path: `/user/qrcodes/zip?id=${code.id}&format=pdf&millimetres=4`,
      signedIn: true,
      status: 400,
    },
    { name: 'print sheet', path: `/user/qrcodes/sheet?id=${code.id}&id=${wifi.id}`, signedIn: true },
    {
      name: 'print sheet, refused',
      path: `/user/qrcodes/sheet?id=${code.id}&start=99`,
      signedIn: true,
      status: 400,
    },
    { name: 'wifi code', path: `/user/qrcodes/${wifi.id}`, signedIn: true },
    { name: 'deleted code', path: `/user/qrcodes/${deleted.id}/deleted`, signedIn: true, status: 410 },
    { name: 'delete a code', path: `/user/qrcodes/${code.id}/delete`, signedIn: true },
    { name: 'uncounted code', path: `/user/qrcodes/${quiet.id}`, signedIn: true },
    { name: 'count a code again', path: `/user/qrcodes/${quiet.id}/count`, signedIn: true },
    { name: 'page of an uncounted code', path: `/r/${quietText.slug}` },
    { name: 'analytics', path: '/user/analytics', signedIn: true },
    { name: 'analytics, as tables', path: '/user/analytics?period=7', signedIn: true, act: openTables },
    {
      name: 'analytics, refused',
      path: '/user/analytics?period=range&from=2026-02-02&to=2026-02-01',
      signedIn: true,
      status: 400,
    },
    { name: 'compare', path: '/user/analytics/compare', signedIn: true },
    {
      name: 'compare, refused',
      path: '/user/analytics/compare?of1=all&of2=all&to1=2099-01-01',
      signedIn: true,
      status: 400,
    },
    { name: 'report', path: '/user/analytics/report', signedIn: true },
    { name: 'analytics, code found', path: '/user/analytics?find=checked', signedIn: true },
    { name: 'analytics, no code found', path: '/user/analytics?find=zzzz', signedIn: true, isAlike: true },
    { name: 'analytics, too many files', path: '/user/analytics', signedIn: true, act: openRefusedFile },
    { name: 'unknown code', path: '/r/ZZZZZZZZ', status: 404 },
    ...(await rulePages(factories, account, refused)),
    ...(await accountPages(factories, account, refused)),
    // Last, because these leave another account signed in.
    ...(await twoStepPages(factories)),
    {
      name: 'analytics without a subscription',
      path: '/user/analytics',
      signedIn: true,
      act: async (page) => openAs(page, await factories.account({ access: false }), '/user/analytics'),
    },
  ];
}

async function saveStyle({ token }: Account): Promise<{ id: string }> {
  const style = { moduleShape: 'dots', cornerColour: '#a4210d', frame: 'badge', caption: 'Open late' };
  const { body } = await send(host, 'POST', '/api/styles', { name: 'Shop window', style }, { token });
  return body.data as { id: string };
}

/** Opens the look section with a frame and a gradient, which reveals all of its fields. */
async function openLook(page: Page): Promise<void> {
  await page.locator('#look > summary').click();
  await page.locator('input[name="frame"][value="badge"]').check({ force: true });
  await page.locator('input[name="gradient"]').check();
}

/** With the job of another entry, unless that was left out. */
async function openJobs(page: Page): Promise<void> {
  const list = page.locator('.job-list');
  await page.goto('/user/qrcodes/jobs');
  if ((await list.count()) === 0) {
    await openJob(page);
    await page.goto('/user/qrcodes/jobs');
  }
  await list.waitFor();
}

/** Starts a job with nothing to change and waits for its end. */
async function openJob(page: Page): Promise<void> {
  await page.goto('/user/qrcodes/selection?act=untag&all=1');
  // Jobs of the same kind are told apart by their time, which is shown to the minute.
  await page.locator('input[name=withTag]').fill(randomUUID().slice(0, 8));
  await page.locator('main form button[type=submit]').click();
  await page.waitForURL('**/user/qrcodes/jobs/**');
  const end = page.locator('.job-page a.button');
  // The page reloads itself until the job ends, except after an error page, which a busy machine may cause.
  await expect(async () => {
    if (!(await end.isVisible())) await page.reload();
    await expect(end).toBeVisible({ timeout: 4_000 });
  }).toPass();
}

async function openReport(page: Page): Promise<void> {
  const rows = [
    'name,content,tags',
    'One,https://one.example/,a',
    'Two,nowhere at all://,b',
    'x,https://one.example/,',
  ];
  const file = { name: 'codes.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.locator('main form button[type=submit]').click();
  await page.locator('#import-columns').waitFor();
  // The account has a saved look.
  await page.locator('#start input[name=readyMade]').nth(1).waitFor({ state: 'attached' });
}

async function openRefusedFile(page: Page): Promise<void> {
  await page.goto(`/user/analytics?again=${Math.floor(Date.now() / 1000) + 200}`);
  await page.locator('.error-summary').waitFor();
}

/** Signs in as another account in the same language and opens one of its pages. */
async function openAs(page: Page, account: Account, path: string): Promise<void> {
  await page.context().clearCookies({ name: 'session' });
  await signInTo(page.request, account);
  await page.goto(path);
}

async function openTables(page: Page): Promise<void> {
  for (const summary of await page.locator('main summary').all()) await summary.click();
}

async function openFolds(page: Page) {
  for (const fold of await page.locator('.code-page__folds .fold > summary').all()) await fold.click();
}
