import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CODE_CHANGED } from '#host/codes/codes.store';
import type { Database } from '#host/db/client';
import { createKnownCodes } from '#host/visits/resolve';
import { breakable } from '../../support/breakable-database';
import { createTestHost, engines, type TestAccount, type TestHost } from '../../support/host';
import { openPrepared } from '../../support/prepared-database';

let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;

beforeAll(async () => {
  broken = breakable(await openPrepared());
  host = await createTestHost({ db: broken.db });
  owner = await host.account();
});

afterAll(() => host.close());

/** Known codes over a database whose notifications the test sends itself, and whose reads it can hold up. */
function createHeard(db: Database) {
  const heard = { change: (_slug: string) => {}, gap: () => {}, reads: 0, whileReading: async () => {} };
  const listened: Database = {
    ...db,
    listen: async (_channel, onPayload, onGap) => {
      heard.change = onPayload;
      heard.gap = onGap ?? heard.gap;
      return async () => undefined;
    },
    query: async <Row>(statement: Parameters<Database['query']>[0]) => {
      const rows = await db.query<Row>(statement);
      if (statement.name !== 'code_by_slug') return rows;
      heard.reads += 1;
      await heard.whileReading();
      return rows;
    },
  };
  return { codes: createKnownCodes({ ...host.deps, db: listened }), heard };
}

const setContent = (slug: string, content: string) =>
  host.db.query({ name: '', text: 'update codes set content = $2 where slug = $1', values: [slug, content] });

test.each(engines)('an edit and a deletion show on the next scan (%s)', async (_, open) => {
  const own = await createTestHost({ db: await open() });
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

test('a code made after its address was asked for is found at once', async () => {
  const asked = await host.request('/r/A0A0A0A0', { headers: { accept: 'application/json' } });
  expect(asked.status).toBe(404);
  const code = await host.code(owner.id, { slug: 'A0A0A0A0' });
  expect((await host.request('/r/A0A0A0A0')).headers.get('location')).toBe(code.content);
});

test('a known code is answered without reading it again, for 30 seconds at most', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(host.db);
  await codes.find(code.slug);
  await codes.find(code.slug);
  const reads = heard.reads;
  expect(codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(heard.reads).toBe(reads);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 29_000);
  expect(codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(heard.reads).toBe(reads);
  clock.mockReturnValue(now + 30_001);
  expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(heard.reads).toBe(reads + 1);
});

test('visitors who ask at the same time share one read', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(host.db);
  await codes.find('WARM0000');
  const reads = heard.reads;
  const found = await Promise.all(Array.from({ length: 20 }, () => codes.find(code.slug)));
  expect(found.map((one) => one?.id)).toEqual(Array(20).fill(code.id));
  expect(heard.reads).toBe(reads + 1);
});

test('a change heard while the row is being read wins', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(host.db);
  // Listening has begun by then, which makes everything be read again by itself.
  await codes.find('WARM0000');
  heard.whileReading = async () => {
    heard.whileReading = async () => {};
    await setContent(code.slug, 'https://changed.example/');
    heard.change(code.slug);
  };
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
  expect(codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
});

test('after a gap in listening every code is read again before it is trusted', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(host.db);
  // Reading, change and gap may all fall into one millisecond.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  await codes.find(code.slug);
  await setContent(code.slug, 'https://missed.example/');
  heard.gap();
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://missed.example/' });
  clock.mockRestore();
});

test('a gap while the row is being read makes it be read again', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(host.db);
  heard.whileReading = async () => {
    heard.whileReading = async () => {};
    await setContent(code.slug, 'https://changed.example/');
    heard.gap();
  };
  expect(await codes.find(code.slug)).toMatchObject({ content: 'https://changed.example/' });
});

test('with the database away known codes go on leading to their target, however old', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(broken.db);
  await codes.find(code.slug);
  heard.gap();
  broken.set('down', 'code_by_slug');
  for (let scan = 0; scan < 3; scan += 1) expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
  await expect(codes.find('UNKN0WN0')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  broken.set('none');
  expect(await codes.find('UNKN0WN0')).toBeNull();
});

test('with the database stuck a known code is answered within a second', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(broken.db);
  await codes.find(code.slug);
  heard.gap();
  broken.set('stuck', 'code_by_slug');
  const started = performance.now();
  expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
  expect(performance.now() - started).toBeLessThan(1_000);
  broken.set('none');
});

test('a code that is known to have changed is not served from memory', async () => {
  const code = await host.code(owner.id);
  const { codes, heard } = createHeard(broken.db);
  await codes.find(code.slug);
  broken.set('down', 'code_by_slug');
  heard.change(code.slug);
  await expect(codes.find(code.slug)).rejects.toMatchObject({ code: 'unavailable' });
  broken.set('none');
});

test('a browser that asks for an unknown code during an outage is sent to the website without a mark', async () => {
  broken.set('down', 'code_by_slug');
  const sent = await host.request('/r/N0WHERE0');
  expect(sent.headers.get('location')).toBe('https://www.quadrille.example/r/N0WHERE0');
  const refused = await host.request('/r/N0WHERE0', { headers: { accept: 'application/json' } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  broken.set('none');
});

test('changes of codes are heard on the channel the codes announce them on', async () => {
  const heard: string[] = [];
  const stop = await host.db.listen(CODE_CHANGED, (slug) => heard.push(slug));
  const code = await host.code(owner.id);
  await expect.poll(() => heard).toContain(code.slug);
  await stop();
});
