import { type FileHandle, open as openFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { HOUR_MS } from '#contract/time';
import type { Statement } from '#host/db/client';
import { VISITS_CHANNEL } from '#host/visits/count/notifier';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { emptyVisits, readCode, readCounts } from './stored-visits';

const AT = Date.parse('2026-03-02T10:59:59.500Z');
const agent = readAgent(
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
);

function visitOf(codeId: string | null, fields: Partial<Visit> = {}): Visit {
  return {
    codeId,
    at: AT,
    source: 'scan',
    class: 'human',
    outcome: 'served',
    agent,
    language: 'en',
    country: '',
    clientIp: '192.0.2.1',
    ...fields,
  };
}

async function journalSize(host: TestHost): Promise<number> {
  const text = 'select coalesce(sum(size), 0) as size from visit_journal';
  const [row] = await host.db.query<{ size: number }>({ name: '', text, values: [] });
  return row?.size ?? 0;
}

const rawCount = async (host: TestHost) =>
  (await readCounts(host.db)).raw.reduce((sum, { count }) => sum + count, 0);

let host: TestHost;
let broken: ReturnType<typeof breakable>;
let ownerId: string;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  ownerId = (await host.account()).id;
});

const makeCode = async () => (await host.code(ownerId)).id;

beforeEach(() => emptyVisits(host.db));

afterAll(() => host.close());

test('500 visits at once over 20 codes are counted exactly', async () => {
  const codes = await Promise.all(Array.from({ length: 20 }, () => host.code(ownerId)));
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, i) =>
      host.request(`/${i % 2 ? 'r' : 'l'}/${codes[i % 20]?.slug}`, {
        headers: { 'x-client-ip': `192.0.2.${i % 50}` },
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
  for (const [i, code] of codes.entries()) {
    const source = i % 2 ? 'scan' : 'click';
    expect(await readCode(host.db, code.id)).toEqual({
      raw: [{ source, class: 'human', count: 25 }],
      hours: [{ source, class: 'human', count: 25 }],
      totals: [{ scans: i % 2 ? 25 : 0, clicks: i % 2 ? 0 : 25, others: 0 }],
      visitors: [{ day: '2026-03-02', count: 5 }],
    });
  }
});

test('two nodes that count the same codes concurrently neither lose nor duplicate visits', async () => {
  const nodes = [new VisitRecorder(host.deps), new VisitRecorder(host.deps)];
  const codes = await Promise.all(Array.from({ length: 5 }, makeCode));
  await Promise.all(
    Array.from({ length: 600 }, (_, i) =>
      nodes[i % 2]?.record(visitOf(codes[i % 5] ?? null, { clientIp: `${i % 9}` })),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  for (const id of codes) {
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 120, clicks: 0, others: 0 }]);
  }
  expect(await rawCount(host)).toBe(600);
});

test('a batch whose commit was not acknowledged is resent and counted once', async () => {
  const recorder = new VisitRecorder(host.deps);
  const id = await makeCode();
  broken.set('lost', 'visits_insert');
  const first = recorder.record(visitOf(id));
  await expect.poll(() => journalSize(host)).toBe(1);
  broken.set('none');
  await recorder.record(visitOf(id));
  await recorder.close();
  await first;
  expect(await readCode(host.db, id)).toMatchObject({
    raw: [{ count: 2 }],
    hours: [{ count: 2 }],
    totals: [{ scans: 2 }],
    visitors: [{ count: 1 }],
  });
});

test('a batch that another process committed in the meantime, but did not count, is counted once', async () => {
  const sent: Statement[] = [];
  const query: TestHost['db']['query'] = (statement) => {
    if (statement.name === 'visits_insert') sent.push(statement);
    return host.db.query(statement);
  };
  const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  const id = await makeCode();
  broken.set('stuck', 'visits_insert');
  await recorder.record(visitOf(id));
  await expect.poll(() => sent).toHaveLength(1);
  for (const statement of sent) await host.db.query({ ...statement, name: '' });
  expect(await journalSize(host)).toBe(1);
  broken.set('none');
  await recorder.idle();
  expect(await journalSize(host)).toBe(0);
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  await recorder.close();
});

test('batches after a failed one use another lane, so that they cannot overtake it', async () => {
  const lanes: unknown[] = [];
  const query: TestHost['db']['query'] = (statement) => {
    if (statement.name === 'visits_insert') lanes.push(statement.values[0]);
    return host.db.query(statement);
  };
  const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  const id = await makeCode();
  await recorder.record(visitOf(id));
  broken.set('down', 'visits_insert');
  await recorder.record(visitOf(id));
  const failed = lanes.at(-1);
  broken.set('none');
  await recorder.idle();
  expect(lanes.at(-1)).toBe(failed);
  const before = lanes.length;
  for (let n = 0; n < 4; n += 1) await recorder.record(visitOf(id));
  await recorder.close();
  expect(lanes.length).toBeGreaterThan(before);
  expect(lanes.slice(before)).not.toContain(failed);
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 6, clicks: 0, others: 0 }]);
});

test('while the database is down visits are acknowledged and spooled, and counted once when it is back', async () => {
  const recorder = new VisitRecorder(host.deps);
  const id = await makeCode();
  broken.set('down');
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 400 }, () => recorder.record(visitOf(id))));
  }
  broken.set('none');
  await recorder.close();
  expect(await readCode(host.db, id)).toMatchObject({ raw: [{ count: 1200 }], totals: [{ scans: 1200 }] });
});

test('while the database hangs a visit is acknowledged after 25 ms and written later', async () => {
  const recorder = new VisitRecorder(host.deps);
  const id = await makeCode();
  await recorder.record(visitOf(null));
  broken.set('stuck', 'visits_insert');
  const started = performance.now();
  await recorder.record(visitOf(id));
  expect(performance.now() - started).toBeGreaterThan(20);
  expect((await readCode(host.db, id)).raw).toEqual([]);
  broken.set('none');
  await recorder.close();
  expect((await readCode(host.db, id)).raw).toEqual([{ source: 'scan', class: 'human', count: 1 }]);
});

test('a visit that the database has committed does not wait for a slow disk, nor does the next one', async () => {
  const id = await makeCode();
  const handle = await openFile(import.meta.filename);
  await handle.close();
  const syncing: (() => void)[] = [];
  const sync = vi
    .spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync')
    .mockImplementation(() => new Promise<void>((done) => syncing.push(done)));
  const recorder = new VisitRecorder(host.deps);
  try {
    broken.set('stuck', 'visits_insert');
    const slow = recorder.record(visitOf(id));
    await expect.poll(() => syncing.length).toBeGreaterThan(0);
    const committing = performance.now();
    broken.set('none');
    await slow;
    await recorder.record(visitOf(id));
    expect(performance.now() - committing).toBeLessThan(1_000);
  } finally {
    sync.mockRestore();
    for (const done of syncing) done();
  }
  await recorder.close();
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
});

test('a batch across midnight and an outage of days is counted in the right hours and days', async () => {
  const recorder = new VisitRecorder(host.deps);
  const id = await makeCode();
  const at = (hours: number) => visitOf(id, { at: AT + hours * HOUR_MS });
  await Promise.all([13, 0, 13, 14, 60, -11, -10].map((hours) => recorder.record(at(hours))));
  await recorder.close();
  const hours = await host.db.query<{ hour: Date; count: number }>({
    name: '',
    text: 'select hour, count from visit_hours order by hour',
    values: [],
  });
  expect(hours.map(({ hour, count }) => [hour.toISOString().slice(0, 13), count])).toEqual([
    ['2026-03-01T23', 1],
    ['2026-03-02T00', 1],
    ['2026-03-02T10', 1],
    ['2026-03-02T23', 2],
    ['2026-03-03T00', 1],
    ['2026-03-04T22', 1],
  ]);
  const { visitors } = await readCode(host.db, id);
  expect(visitors).toEqual(
    ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map((day) => ({ day, count: 1 })),
  );
  const [total] = (await readCounts(host.db)).totals;
  expect(total?.last_at).toEqual(new Date(AT + 60 * HOUR_MS));
  const raw = await host.db.query<{ at: Date }>({
    name: '',
    text: 'select at from visits order by at',
    values: [],
  });
  expect(raw[0]?.at).toEqual(new Date(AT - 11 * HOUR_MS));
});

test('the latest visit by a person stays the latest when older ones arrive later', async () => {
  const recorder = new VisitRecorder(host.deps);
  const id = await makeCode();
  await recorder.record(visitOf(id, { at: AT + 5_000 }));
  await recorder.record(visitOf(id, { at: AT }));
  await recorder.record(visitOf(id, { at: AT + 9_000, class: 'bot' }));
  await recorder.close();
  expect((await readCounts(host.db)).totals[0]?.last_at).toEqual(new Date(AT + 5_000));
});

test('closing writes everything that is queued', async () => {
  const recorder = new VisitRecorder(host.deps);
  const records = Array.from({ length: 2_500 }, () => recorder.record(visitOf(null)));
  await recorder.close();
  await Promise.all(records);
  expect(await rawCount(host)).toBe(2_500);
});

test('listeners are notified of the visited codes', async () => {
  const heard: string[] = [];
  const stop = await host.db.listen(VISITS_CHANNEL, (payload) => heard.push(payload));
  const recorder = new VisitRecorder(host.deps);
  const [one, other] = [await makeCode(), await makeCode()];
  await Promise.all([one, other, one, null].map((id) => recorder.record(visitOf(id))));
  await recorder.close();
  await expect.poll(() => heard.flatMap((payload) => payload.split(',')).sort()).toEqual([one, other].sort());
  await stop();
});

test('more codes than fit a notification are notified as a star', async () => {
  const heard: string[] = [];
  const stop = await host.db.listen(VISITS_CHANNEL, (payload) => heard.push(payload));
  const recorder = new VisitRecorder(host.deps);
  const codes: string[] = [];
  while (codes.length < 300) codes.push(await makeCode());
  await Promise.all(codes.map((id) => recorder.record(visitOf(id))));
  await recorder.close();
  await expect.poll(() => heard).toContain('*');
  await stop();
});
