import { afterAll, beforeAll, expect, test } from 'vitest';
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
    [...html.replaceAll('<wbr/>', '').matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)<\/a>/g)].filter(
      ([, to, text]) => to === `/user/qrcodes/${code.id}` && text === name,
    );
  expect((await page()).includes(`/user/qrcodes/${code.id}`)).toBe(false);
  await host.recorder.record(visitOf(code.id, host.clock.now().toISOString()));
  await host.recorder.idle();
  const visited = await page();
  expect(linksOf(visited, 'menu.example/table-12')).toHaveLength(1);
  expect(visited).toContain('1 visit: 1 scan and 0 clicks.');
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
  ['en-GB', 'Last 30 days', 'added up by day, in UTC', 'of 1 code you have'],
  ['fr', '30 derniers jours', 'additionnés par jour, en UTC', 'sur 1 code que vous avez'],
  ['es', 'Últimos 30 días', 'sumados por día, en UTC', 'de 1 código que tiene'],
  ['de', 'Letzte 30 Tage', 'Summe der Tage (UTC)', 'von 1 Code'],
  ['it', 'Ultimi 30 giorni', 'sommati per giorno, in UTC', 'su 1 codice che hai'],
])(
  'in %s, the heading names the days of all figures, and each figure has a line and an explanation',
  async (language, ...words) => {
    const { host } = website;
    const account = await host.account();
    const code = await host.code(account.id);
    await host.recorder.record(visitOf(code.id, host.clock.now().toISOString()));
    await host.recorder.idle();
    const browser = await openBrowser(website, account);
    const [page = ''] = (
      await (await browser.open('/user/dashboard', { 'accept-language': language })).text()
    ).split('<script');
    for (const word of words) expect(page).toContain(word);
    expect(page.match(/<dt>/g)).toHaveLength(5);
    // One for each figure, and one for the chart.
    expect(page.match(/<details class="explanation">/g)).toHaveLength(6);
    // The values of each day, for the pointer and the keyboard.
    expect(page.match(/type="radio" name="values-trend"/g)).toHaveLength(30);
  },
);
