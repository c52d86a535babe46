import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { logos } from '#host/db/codes.tables';
import { PoolRefusal } from '#runtime/processes/pool-errors';
import type { TestAccount } from '../../support/host';
import type { TestWebsite } from '../../support/website';
import { createZipWebsite, DOWNLOAD, makeCodes, openZip, queryOf } from './zip-website';

let website: TestWebsite;
let requested: string[] = [];
/** Answers requests for logos in place of the host, if it returns a response. */
let answerLogo: (time: number) => Response | undefined = () => undefined;

beforeAll(async () => {
  website = await createZipWebsite((request, pass) => {
    const { pathname } = new URL(request.url);
    requested.push(pathname);
    const answer = pathname.endsWith('/logo') ? answerLogo(logoRequests().length) : undefined;
    return answer ? Promise.resolve(answer) : pass();
  });
});
afterAll(() => website.close());

const logoRequests = () => requested.filter((path) => path.endsWith('/logo'));

/** Codes with these logos, or without one. */
async function makeCodesWith(as: TestAccount, logoIds: (string | undefined)[]): Promise<string[]> {
  const ids: string[] = [];
  for (const logoId of logoIds) ids.push((await website.host.code(as.id, { logoId })).id);
  return ids;
}

async function makeLogo(): Promise<string> {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#d33' } }).png();
  const logo = { id: randomUUID(), name: 'logo.png', png: await png.toBuffer() };
  await website.host.db.orm.insert(logos).values({ ...logo, createdAt: new Date() });
  return logo.id;
}

async function zipOf(as: TestAccount, ids: string[], answer: typeof answerLogo) {
  requested = [];
  answerLogo = answer;
  onTestFinished(() => {
    answerLogo = () => undefined;
  });
  return openZip(await website.browse(DOWNLOAD + queryOf(ids, { format: 'svg' }), { as }));
}

const FAILED = 'The file could not be made because of a fault of ours. Try again later.';

test.each([
  ['does not respond', () => new Response(null, { status: 500 })],
  ['has too many requests', () => new Response('{}', { status: 429, headers: { 'retry-after': '1' } })],
])('a logo is requested again when the host %s', async (_, refuse) => {
  const as = await website.host.account();
  const ids = await makeCodesWith(as, [undefined, await makeLogo()]);
  const { rows } = await zipOf(as, ids, (time) => (time < 3 ? refuse() : undefined));
  expect(rows.map(({ problem }) => problem)).toEqual(['', '']);
  expect(logoRequests()).toHaveLength(3);
});

test('logos that the host never sends are named as failed, and the ZIP is whole', async () => {
  const as = await website.host.account();
  const ids = await makeCodesWith(as, [undefined, await makeLogo(), await makeLogo(), undefined]);
  const { files, rows } = await zipOf(as, ids, () => new Response(null, { status: 500 }));
  expect(rows.map(({ problem }) => problem)).toEqual(['', FAILED, FAILED, '']);
  expect(Object.keys(files)).toHaveLength(3);
}, 20_000);

test('once the session has ended, the remaining codes are named and the ZIP is whole', async () => {
  const as = await website.host.account();
  const ids = await makeCodesWith(as, [undefined, await makeLogo(), ...Array(8).fill(undefined)]);
  const { rows } = await zipOf(as, ids, () => new Response('{}', { status: 401 }));
  const signedOut = 'You were signed out before this file was made. Sign in and download it again.';
  expect(rows).toHaveLength(ids.length);
  expect(rows.slice(0, 2).map(({ problem }) => problem)).toEqual(['', signedOut]);
  expect(rows.at(-1)?.problem).toBe(signedOut);
  expect(logoRequests()).toHaveLength(1);
});

test('a logo is requested once for all codes that have it', async () => {
  const as = await website.host.account();
  const logo = await makeLogo();
  const ids = await makeCodesWith(as, Array(12).fill(logo));
  const { rows } = await zipOf(as, ids, () => undefined);
  expect(rows.map(({ problem }) => problem)).toEqual(Array(12).fill(''));
  expect(logoRequests()).toHaveLength(1);
});

test('a drawing that exceeds the time of one in bulk gets that of a single file', async () => {
  const as = await website.host.account();
  const ids = await makeCodes(website, as, 3);
  await website.browse(`/user/qrcodes/${ids[0]}/download?format=svg`, { as });
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  onTestFinished(() => {
    pool.run = run;
  });
  const large: string[] = [];
  pool.run = (task, input, options) => {
    if (options.cpuMs < 15_000) return run(task, input, { ...options, cpuMs: 1 });
    large.push(String(options.client.account));
    return run(task, input, options);
  };
  const { rows } = await zipOf(as, ids, () => undefined);
  expect(rows.map(({ problem }) => problem)).toEqual(['', '', '']);
  expect(large).toHaveLength(3);
  expect(new Set(large).size).toBe(1);
});

test('codes that are still queued after a minute are named as failed, and the ZIP is whole', async () => {
  const as = await website.host.account();
  const ids = await makeCodes(website, as, 3);
  await website.browse(`/user/qrcodes/${ids[0]}/download?format=svg`, { as });
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  const now = performance.now.bind(performance);
  let waitedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs);
  onTestFinished(() => {
    pool.run = run;
    clock.mockRestore();
  });
  let asked = 0;
  pool.run = (...task) => {
    waitedMs += 40_000;
    asked += 1;
    return asked > 6 ? run(...task) : Promise.reject(new PoolRefusal('busy', 10));
  };
  const { rows } = await zipOf(as, ids, () => undefined);
  expect(rows).toHaveLength(3);
  expect(rows.map(({ problem }) => problem)).toContain(
    'Too many other codes were waiting to be drawn. Try again later.',
  );
});

test('disconnecting stops the work', async () => {
  const as = await website.host.account();
  const ids = await makeCodesWith(as, await Promise.all(Array.from({ length: 40 }, makeLogo)));
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
  const ids = await makeCodesWith(as, await Promise.all(Array.from({ length: 40 }, makeLogo)));
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
