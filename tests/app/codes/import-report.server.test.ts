import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMPORT_ROWS } from '#contract/imports';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/import': 'codes/import/page.tsx',
    '/user/qrcodes/import/:id': 'codes/import/report-page.tsx',
  });
});
afterAll(async () => website.close());

async function upload(as: TestAccount, content: string | Buffer<ArrayBuffer>) {
  const body = new FormData();
  body.set('file', new File([content], 'codes.csv', { type: 'text/csv' }));
  const answer = await website.browse('/user/qrcodes/import', { method: 'POST', body, as });
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
}

async function open(path: string, as: TestAccount, locale = 'en-GB') {
  return (await website.browse(path, { as, headers: { 'accept-language': locale } })).text();
}

test('the report words each problem of a foreign file in its row, in every language', async () => {
  const as = await website.host.account();
  const { to } = await upload(
    as,
    [
      'sep=,',
      'My networks',
      'Name,Type,URL,SSID,Passphrase,Security,Hidden,Clicks',
      'A,link,"https://a.example/x,y",,,,,1',
      'B,link,https://b.example/x,y,,,,,1',
      'C,wifi,,Café,password1,WPA2-Enterprise,,',
      'D,wifi,,Café,password1,WPA9,,',
      'E,wifi,,Café,password1,WPA2-PSK,perhaps,',
    ].join('\r\n'),
  );
  const problemsIn = (html: string) =>
    [
      ...html.matchAll(
        /<th scope="row">(\d+)<\/th><td>([^<]*)<\/td><td class="mono">([^<]*)<\/td><td>([^<]*)<\/td>/g,
      ),
    ].map(([, ...cells]) => cells);
  const text = await open(to, as);
  expect(text).toContain('1 row can become a code');
  expect(problemsIn(text)).toEqual([
    [
      '4',
      'URL',
      'B,link,https://b.example/x,y,,,,,1',
      expect.stringMatching(/^The cells of this row do not fit/),
    ],
    ['5', 'Security', 'WPA2-Enterprise', expect.stringMatching(/^Phones cannot join a company network/)],
    ['6', 'Security', 'WPA9', 'Choose WPA, WEP or none.'],
    ['7', 'Hidden', 'perhaps', 'Write yes or no.'],
  ]);
  for (const locale of ['fr', 'es', 'de', 'it']) {
    const reasons = problemsIn(await open(to, as, locale)).map((cells) => cells[3]);
    expect(reasons).toHaveLength(4);
    expect(reasons.filter((reason) => /_|Choose|Write|Phones|The cells/.test(reason ?? ''))).toEqual([]);
  }
});

test('the report says from which service a file comes, and how its bytes and cells were read', async () => {
  const as = await website.host.account();
  const headers = 'shortUrl|longUrl|domain|shortCode';
  const shlink = await upload(as, `${headers}\nhttps://s.example/x|https://a.example/|s|x\n`);
  expect(await open(shlink.to, as)).toContain('Read as an export of Shlink: UTF-8, bars between the cells.');
  const mac = await upload(as, Buffer.from('name;url\rCaf\x8e;https://a.example/\r', 'latin1'));
  const text = await open(mac.to, as);
  expect(text).toContain('Café');
  expect(text).toContain('Read as a table: MACINTOSH, semicolons between the cells.');
});

test('the form says when too many files of one account wait, and takes them later', async () => {
  const as = await website.host.account();
  // Large enough to be still in the queue when the last one arrives.
  const file = `url\n${'https://a.example/\n'.repeat(IMPORT_ROWS)}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(as, file)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { text } of refused)
    expect(text).toContain('Too many attempts. Wait a few minutes, then try again.');
  // On a busy machine, the second file in the queue may have waited for too long.
  for (const { status } of answers) expect([303, 429, 503]).toContain(status);
  expect((await upload(as, file)).status).toBe(303);
});
