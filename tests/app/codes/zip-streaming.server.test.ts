import { inArray } from 'drizzle-orm';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { codes, logos } from '#host/db/codes.tables';
import type { TestAccount } from '../../support/host';
import type { TestWebsite } from '../../support/website';
import { createZipWebsite, DOWNLOAD, makeCodes, openZip, queryOf } from './zip-website';

let website: TestWebsite;
let requested: string[] = [];
/** The host fails from this request on. */
let failsFrom = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  website = await createZipWebsite((request, pass) => {
    requested.push(new URL(request.url).pathname);
    return requested.length < failsFrom ? pass() : Promise.resolve(new Response(null, { status: 500 }));
  });
});
afterAll(() => website.close());

/** Codes with logos, each of which is requested when its code is drawn. */
async function makeLogoCodes(as: TestAccount, count: number): Promise<string[]> {
  const { orm } = website.host.db;
  const ids = await makeCodes(website, as, count);
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a4210d' } })
    .png()
    .toBuffer();
  const logo = { id: crypto.randomUUID(), name: 'logo.png', png };
  await orm.insert(logos).values({ ...logo, createdAt: new Date() });
  await orm.update(codes).set({ logoId: logo.id }).where(inArray(codes.id, ids));
  return ids;
}

test('a ZIP that breaks off because the host fails does not end as if it were whole', async () => {
  const as = await website.host.account();
  const logo = { id: crypto.randomUUID(), name: 'logo.png', png: Buffer.from('no picture') };
  await website.host.db.orm.insert(logos).values({ ...logo, createdAt: new Date() });
  const ids = await makeCodes(website, as, 2);
  for (let n = 0; n < 2; n += 1) ids.push((await website.host.code(as.id, { logoId: logo.id })).id);
  requested = [];
  const answer = await website.browse(DOWNLOAD + queryOf(ids, { format: 'svg' }), { as });
  failsFrom = requested.length + 1;
  onTestFinished(() => {
    failsFrom = Number.POSITIVE_INFINITY;
  });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toBeDefined();
});

test('disconnecting stops the work', async () => {
  const as = await website.host.account();
  const ids = await makeLogoCodes(as, 40);
  const { id: plain } = await website.host.code(as.id);
  const leaving = new AbortController();
  requested = [];
  const answer = await website.browse(DOWNLOAD + queryOf(ids, { format: 'png', pixels: '300' }), {
    as,
    signal: leaving.signal,
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  leaving.abort();
  await reader?.cancel();
  // Once another drawing of this account is done, all started drawings are done, too.
  await website.browse(`/user/qrcodes/${plain}/download?format=svg`, { as });
  const then = requested.length;
  for (let n = 0; n < 5; n += 1) await website.browse(`/user/qrcodes/${plain}/download?format=svg`, { as });
  expect(requested.length - then).toBe(5);
  expect(then).toBeLessThan(20);
});

test('files are drawn only as fast as they are read', async () => {
  const as = await website.host.account();
  const ids = await makeLogoCodes(as, 40);
  const { id: plain } = await website.host.code(as.id);
  requested = [];
  const answer = await website.browse(DOWNLOAD + queryOf(ids, { format: 'svg' }), { as });
  const reader = answer.body?.getReader();
  await reader?.read();
  await website.browse(`/user/qrcodes/${plain}/download?format=svg`, { as });
  expect(requested.length).toBeLessThan(20);
  await reader?.cancel();
});

test('other downloads of the account do not wait for its ZIP', async () => {
  const as = await website.host.account();
  const ids = await makeCodes(website, as, 40);
  requested = [];
  const answer = await website.browse(DOWNLOAD + queryOf(ids, { format: 'png', pixels: '1024' }), { as });
  let isOver = false;
  const zip = openZip(answer).finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 3; n += 1) {
    const file = await website.browse(`/user/qrcodes/${ids[0]}/download?format=svg`, { as });
    expect([file.status, isOver]).toEqual([200, false]);
  }
  expect((await zip).rows).toHaveLength(40);
});
