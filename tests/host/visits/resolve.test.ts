import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CODE_CHANGED } from '#host/codes/code/store';
import type { Database } from '#host/db/client';
import { CodeCache } from '#host/visits/resolve/resolve';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  owner = await host.account();
});

afterAll(() => host.close());

/** A code cache over a database whose notifications the test sends and whose reads it can delay. */
function createCacheWithFeed(db: Database) {
  const feed = { change: (_slug: string) => {}, gap: () => {}, reads: 0, whileReading: async () => {} };
  const listened: Database = {
    ...db,
    listen: async (_channel, onPayload, onGap) => {
      feed.change = onPayload;
      feed.gap = onGap ?? feed.gap;
      return async () => undefined;
    },
    query: async <Row>(statement: Parameters<Database['query']>[0]) => {
      const rows = await db.query<Row>(statement);
      if (statement.name !== 'code_by_slug') return rows;
      feed.reads += 1;
      await feed.whileReading();
      return rows;
    },
  };
  return { codes: new CodeCache({ ...host.deps, db: listened }), feed };
}

const setContent = (slug: string, content: string) =>
  host.db.query({ name: '', text: 'update codes set content = $2 where slug = $1', values: [slug, content] });

test('edits and deletions take effect on the next scan', async () => {
  const own = await createTestHost();
  const { id, token } = await own.account();
  const code = await own.code(id);
  const target = async () => (await own.request(`/r/${code.slug}`)).headers.get('location');
  expect(await target()).toBe(code.content);
  const edited = { content: 'https://elsewhere.example/' };
  await own.request(`/api/qrcodes/${code.id}`, {
    method: 'PATCH',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(edited),
  });
  await expect.poll(target).toBe(edited.content);
  await own.request(`/api/qrcodes/${code.id}`, { method: 'DELETE', token });
  await expect.poll(target).toMatch(/^https:\/\/www\.quadrille\.example\/r\//);
  await own.close();
});

test('a code created after a lookup of its slug is found', async () => {
  const requested = await host.request('/r/A0A0A0A0', { headers: { accept: 'application/json' } });
  expect(requested.status).toBe(404);
  const code = await host.code(owner.id, { slug: 'A0A0A0A0' });
  await expect
    .poll(async () => (await host.request('/r/A0A0A0A0')).headers.get('location'))
    .toBe(code.content);
});

test('a cached code is not read again for 30 seconds', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(host.db);
  const now = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
  await codes.find(code.slug);
  await codes.find(code.slug);
  const reads = feed.reads;
  expect(codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(feed.reads).toBe(reads);
  const readAt = Math.max(now, 1);
  clock.mockReturnValue(readAt + 29_999);
  expect(codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(feed.reads).toBe(reads);
  // The start of listening may have counted as a gap in that millisecond, so the read as one of the next.
  clock.mockReturnValue(readAt + 30_000 + 1);
  expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(feed.reads).toBe(reads + 1);
});

test('concurrent visits to a code share one read', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(host.db);
  await codes.find('WARM0000');
  const reads = feed.reads;
  const found = await Promise.all(Array.from({ length: 20 }, () => codes.find(code.slug)));
  expect(found.map((one) => one?.id)).toEqual(Array(20).fill(code.id));
  expect(feed.reads).toBe(reads + 1);
});

test('a change notified while the row is being read wins', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(host.db);
  // Waits until the cache is listening, as the start of listening invalidates it once.
  await codes.find('WARM0000');
  feed.whileReading = async () => {
    feed.whileReading = async () => {};
    await setContent(code.slug, 'https://changed.example/');
    feed.change(code.slug);
  };
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
  expect(codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
});

test('after a gap in the notifications every code is read again', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(host.db);
  // Read, change and gap may all happen in the same millisecond.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  await codes.find(code.slug);
  await setContent(code.slug, 'https://missed.example/');
  feed.gap();
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://missed.example/' });
  clock.mockRestore();
});

test('a gap while the row is being read causes another read', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(host.db);
  feed.whileReading = async () => {
    feed.whileReading = async () => {};
    await setContent(code.slug, 'https://changed.example/');
    feed.gap();
  };
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
});

test('while the database is down cached codes are served, however old', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(broken.db);
  await codes.find(code.slug);
  feed.gap();
  broken.set('down', 'code_by_slug');
  for (let scan = 0; scan < 3; scan += 1) expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
  await expect(codes.find('UNKN0WN0')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  broken.set('none');
  expect(await codes.find('UNKN0WN0')).toBeNull();
});

test('while the database hangs a cached code is served before a second is over', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(broken.db);
  await codes.find(code.slug);
  feed.gap();
  broken.set('stuck', 'code_by_slug');
  const found = await Promise.race([codes.find(code.slug), delay(1_000)]);
  expect(found).toMatchObject({ id: code.id });
  broken.set('none');
});

test('while the database hangs only the first unknown code waits for the full timeout', async () => {
  const { codes } = createCacheWithFeed(broken.db);
  broken.set('stuck', 'code_by_slug');
  const waitFor = async (slug: string) => {
    const started = performance.now();
    await expect(codes.find(slug)).rejects.toMatchObject({ code: 'unavailable' });
    return performance.now() - started;
  };
  const first = await waitFor('UNKN0WN1');
  // A lower bound is safe, as timers never fire early.
  expect(first).toBeGreaterThan(2_900);
  expect(await waitFor('UNKN0WN2')).toBeLessThan(first / 2);
  broken.set('none');
});

test('a code with a notified change is not served from the cache', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(broken.db);
  await codes.find(code.slug);
  broken.set('down', 'code_by_slug');
  feed.change(code.slug);
  await expect(codes.find(code.slug)).rejects.toMatchObject({ code: 'unavailable' });
  broken.set('none');
});

test('a changed code is read ahead of its next visit', async () => {
  const code = await host.code(owner.id);
  const { codes, feed } = createCacheWithFeed(broken.db);
  await codes.find(code.slug);
  await setContent(code.slug, 'https://changed.example/');
  broken.set('down', 'code_by_slug');
  feed.change(code.slug);
  await vi.waitFor(
    async () => expect(await codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' }),
    15_000,
  );
  broken.set('none');
});

test('of many codes that change together, 500 are read at once', async () => {
  const { db } = host;
  let change = (_slug: string) => {};
  const read: number[] = [];
  new CodeCache({
    ...host.deps,
    db: {
      ...db,
      listen: async (_channel, onPayload) => {
        change = onPayload;
        return async () => undefined;
      },
      query: async (statement) => {
        if (statement.name === 'codes_by_slug') read.push((statement.values[0] as string[]).length);
        return db.query(statement);
      },
    },
  });
  for (let n = 0; n < 1_001; n += 1) change(`CHANGED${n}`);
  await expect.poll(() => read).toEqual([500, 500, 1]);
});

test('a browser that visits an unknown code during an outage is sent to the website without a counted token', async () => {
  broken.set('down', 'code_by_slug');
  const sent = await host.request('/r/N0WHERE0');
  expect(sent.headers.get('location')).toBe('https://www.quadrille.example/r/N0WHERE0');
  const refused = await host.request('/r/N0WHERE0', { headers: { accept: 'application/json' } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  broken.set('none');
});

test('changes of codes are notified on their channel', async () => {
  const changed: string[] = [];
  const stop = await host.db.listen(CODE_CHANGED, (slug) => changed.push(slug));
  const code = await host.code(owner.id);
  await expect.poll(() => changed).toContain(code.slug);
  await stop();
});
