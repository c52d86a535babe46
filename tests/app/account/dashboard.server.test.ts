import { afterAll, beforeAll, expect, test } from 'vitest';
import { getOverview } from '#contract/dashboard';
import { visitOf } from '../../host/statistics/visit-stream';
import { openBrowser } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/dashboard': 'account/dashboard/page.tsx' });
});
afterAll(async () => website.close());

test('codes are named and linked in the activities and in the list of most visited codes', async () => {
  const { host } = website;
  const account = await host.account();
  const code = await host.code(account.id, { content: 'https://www.menu.example/table-12/' });
  const browser = await openBrowser(website, account);
  const page = async () => (await browser.open('/user/dashboard')).text();
  const linksOf = (html: string, name: string) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)<\/a>/g)].filter(
      ([, to, text]) => to === `/user/qrcodes/${code.id}` && text === name,
    );
  expect((await page()).includes(`/user/qrcodes/${code.id}`)).toBe(false);
  await host.recorder.record(visitOf(code.id, host.clock.now().toISOString()));
  await host.recorder.idle();
  const visited = await page();
  expect(linksOf(visited, 'menu.example/table-12')).toHaveLength(1);
  expect(visited).toContain('1 visit in the last 30 days');
  await send(host, 'PATCH', `/api/qrcodes/${code.id}`, { name: 'Table 12' }, account);
  const named = await page();
  expect(linksOf(named, 'Table 12')).toHaveLength(2);
  expect(named).toContain('Changed a QR code');
});

test('codes changed together are counted in one row', async () => {
  const { host } = website;
  const account = await host.account();
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    const { id } = await host.code(account.id);
    await send(host, 'PATCH', `/api/qrcodes/${id}`, { name }, account);
  }
  const page = await (await (await openBrowser(website, account)).open('/user/dashboard')).text();
  expect(page).toContain('Changed 4 QR codes');
});

test.each([
  ['en-GB', 'of the codes you have now'],
  ['fr', 'pour les codes que vous avez à ce jour'],
  ['es', 'de los códigos que tiene ahora'],
  ['de', 'bei den Codes, die Sie jetzt haben'],
  ['it', 'dei codici che hai ora'],
])('in %s, scans and clicks state that they exclude deleted codes', async (language, words) => {
  const { host } = website;
  const account = await host.account();
  const [kept, gone] = [await host.code(account.id), await host.code(account.id)];
  for (const { id } of [kept, gone]) await host.recorder.record(visitOf(id, host.clock.now().toISOString()));
  await host.recorder.idle();
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, account);
  const { body } = await send(host, 'GET', '/api/dashboard/overview', undefined, account);
  expect(getOverview.response.parse(body).data.stats).toMatchObject({ scans: 1, visitsToday: 2 });
  const browser = await openBrowser(website, account);
  const page = await (await browser.open('/user/dashboard', { 'accept-language': language })).text();
  // Once each for scans and clicks.
  expect(page.split('<script')[0]?.split(words)).toHaveLength(3);
});
