import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logos } from '#host/db/codes.tables';
import type { TestAccount } from '../../support/host';
import type { TestWebsite } from '../../support/website';
import { addresses, createSheetWebsite, DOWNLOAD, queryOf, readSheet } from './sheet-website';

let website: TestWebsite;
let logoRequests = 0;
let answerLogo: (time: number) => Promise<Response | undefined>;

beforeAll(async () => {
  website = await createSheetWebsite(async (request, pass) => {
    if (!request.url.endsWith('/logo')) return pass();
    logoRequests += 1;
    return (await answerLogo(logoRequests)) ?? pass();
  });
});
afterAll(() => website.close());

async function codesWithLogo(as: TestAccount, count: number) {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#d33' } }).png();
  const logo = { id: randomUUID(), name: 'logo.png', png: await png.toBuffer() };
  await website.host.db.orm.insert(logos).values({ ...logo, createdAt: new Date() });
  const codes: { id: string; slug: string }[] = [];
  for (let n = 0; n < count; n += 1) {
    codes.push(await website.host.code(as.id, { name: `Table ${n}`, logoId: logo.id }));
  }
  logoRequests = 0;
  return codes;
}

test('a logo of many labels is requested once, and again when the host does not respond', async () => {
  const as = await website.host.account();
  const codes = await codesWithLogo(as, 6);
  answerLogo = async (time) => (time < 3 ? new Response(null, { status: 500 }) : undefined);
  const [labels] = await readSheet(await website.browse(DOWNLOAD + queryOf(codes), { as }), 'a4-24');
  expect(labels?.slice(0, 6)).toEqual(addresses(codes));
  expect(logoRequests).toBe(3);
});

test('an account has two sheets in progress at most, and is told when to retry', async () => {
  const as = await website.host.account();
  const codes = await codesWithLogo(as, 1);
  let pass = () => {};
  const passed = new Promise<undefined>((resolve) => {
    pass = () => resolve(undefined);
  });
  answerLogo = () => passed;
  const sheets = [1, 2].map(() => website.browse(DOWNLOAD + queryOf(codes), { as }));
  await expect.poll(() => logoRequests).toBe(2);
  const third = await website.browse(DOWNLOAD + queryOf(codes), { as });
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10']);
  pass();
  expect((await Promise.all(sheets)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await website.browse(DOWNLOAD + queryOf(codes), { as })).status).toBe(200);
});
