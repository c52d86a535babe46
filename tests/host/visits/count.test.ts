import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { insertBatch, serializeVisits } from '#host/visits/count/journal';
import { eraseSingleVisits } from '#host/visits/count/retention';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from '../statistics/visit-stream';
import { hearLog } from './spool-fixture';
import { emptyVisits, readCode, readCounts } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';

let host: TestHost;
let broken: ReturnType<typeof breakable>;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
});
beforeEach(() => emptyVisits(host.db));
afterAll(() => host.close());

const read = <Row>(text: string, values: unknown[] = []) => host.db.query<Row>({ name: '', text, values });
const journal = async () =>
  (await read<{ size: number }>('select size from visit_journal order by id')).map(({ size }) => size);

/** Leaves visits in the journal like a killed process; the IP address is used as the visitor's number. */
async function leave(visits: Visit[]): Promise<void> {
  const kept = serializeVisits(visits, (_, clientIp) => clientIp);
  const batch = { lane: randomUUID(), number: 1, size: visits.length, at: Date.parse(AT), visits: kept };
  await host.db.query(insertBatch(batch));
}

test('thousands of visits are counted at once, in parts, and a person counts once in all of them', async () => {
  const account = await host.account();
  const codes = [await host.code(account.id), await host.code(account.id)];
  for (let batch = 0; batch < 3; batch += 1) {
    await leave(
      Array.from({ length: 900 }, (_, i) =>
        visitOf(codes[i % 2]?.id ?? '', AT, { clientIp: String((i * 7 + batch) % 300) }),
      ),
    );
  }
  const inTransaction = vi.spyOn(host.db, 'inTransaction');
  const node = new VisitRecorder(host.deps);
  await node.claimStale(0);
  await node.close();
  expect(inTransaction).toHaveBeenCalledTimes(1);
  inTransaction.mockRestore();
  for (const { id } of codes)
    expect(await readCode(host.db, id)).toEqual({
      raw: [{ source: 'scan', class: 'human', count: 1_350 }],
      hours: [{ source: 'scan', class: 'human', count: 1_350 }],
      totals: [{ scans: 1_350, clicks: 0, others: 0 }],
      visitors: [{ day: '2026-03-02', count: 300 }],
    });
  expect(await journal()).toEqual([]);
});

test('visits that a killed process left in the journal are counted once by the others', async () => {
  const code = await host.code((await host.account()).id);
  for (let batch = 0; batch < 30; batch += 1) {
    await leave(
      Array.from({ length: 20 }, (_, i) => visitOf(code.id, AT, { clientIp: String((batch + i) % 40) })),
    );
  }
  const nodes = [new VisitRecorder(host.deps), new VisitRecorder(host.deps)];
  await Promise.all(nodes.map((node) => node.claimStale(0)));
  await Promise.all(nodes.map((node) => node.close()));
  expect(await readCode(host.db, code.id)).toEqual({
    raw: [{ source: 'scan', class: 'human', count: 600 }],
    hours: [{ source: 'scan', class: 'human', count: 600 }],
    totals: [{ scans: 600, clicks: 0, others: 0 }],
    visitors: [{ day: '2026-03-02', count: 40 }],
  });
  expect(await journal()).toEqual([]);
});

test('only journal rows that are old enough are taken over from other processes', async () => {
  await leave([visitOf('', AT, { codeId: null })]);
  await read("update visit_journal set at = at - interval '11 seconds'");
  await leave([visitOf('', AT, { codeId: null }), visitOf('', AT, { codeId: null })]);
  const recorder = new VisitRecorder(host.deps);
  await recorder.claimStale(10_000);
  await recorder.close();
  expect(await journal()).toEqual([2]);
});

test('the log says how far behind counting is', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  await leave([visitOf('', AT, { codeId: null }), visitOf('', AT, { codeId: null })]);
  await read("update visit_journal set at = at - interval '10 minutes'");
  const recorder = new VisitRecorder({ ...host.deps, log });
  await recorder.claimStale(0);
  await recorder.close();
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ msg: 'counting is behind', visits: 2, seconds: 600 }),
  );
});

test('the journal contains neither IP addresses nor user agents', async () => {
  const code = await host.code((await host.account()).id);
  const recorder = new VisitRecorder(host.deps);
  broken.set('stuck', 'visits_count');
  const agent = readAgent('Mozilla/5.0 (Marker) AppleWebKit/605.1.15 Safari/604.1');
  await recorder.record(visitOf(code.id, AT, { agent, clientIp: '198.51.100.77' }));
  const kept = async () =>
    (await read<{ visits: string }>('select visits from visit_journal')).map(({ visits }) => visits);
  await expect.poll(kept, { timeout: 5_000 }).toEqual([expect.stringMatching(code.id)]);
  expect((await kept()).filter((visits) => /Marker|198\.51/.test(visits))).toEqual([]);
  broken.set('none');
  await recorder.close();
});

test('visits in the journal whose visitors were dropped meanwhile count as visits, not as visitors', async () => {
  const code = await host.code((await host.account()).id);
  const at = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'];
  await leave(at.map((time) => visitOf(code.id, time, { clientIp: '7' })));
  const recorder = new VisitRecorder(host.deps);
  await recorder.claimStale(0);
  await recorder.close();
  const { totals, visitors } = await readCode(host.db, code.id);
  expect(totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
  expect(visitors).toEqual([{ day: '2026-03-01', count: 1 }]);
});

test('while counting fails visits are still recorded, and counted afterwards', async () => {
  const code = await host.code((await host.account()).id);
  const recorder = new VisitRecorder(host.deps);
  broken.set('down', 'visits_count');
  for (let i = 0; i < 3; i += 1) await recorder.record(visitOf(code.id, AT));
  await expect
    .poll(async () => (await journal()).reduce((sum, size) => sum + size, 0), { timeout: 5_000 })
    .toBe(3);
  expect((await readCode(host.db, code.id)).totals).toEqual([]);
  broken.set('none');
  await recorder.close();
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 3, clicks: 0, others: 0 }]);
  expect(await journal()).toEqual([]);
});

test.each([
  ['is no JSON', 'no JSON'],
  ['has no visits', '[0]'],
  ['has visits of another form', '[0,[7]]'],
  ['has a time that does not exist', '[1e300,[[null,0,"scan","human","served","","","","",null]]]'],
  ['has text where a number belongs', `[${Date.parse(AT)},[[null,0,"scan",null,"served","","","","",null]]]`],
  ['has a visitor that is no number', null],
])(
  'a row of the journal that %s stays there, is named in the log, and neither pauses counting nor delays the end',
  async (_, visits) => {
    const code = await host.code((await host.account()).id);
    for (const clientIp of ['1', 'no number', '2']) await leave([visitOf(code.id, AT, { clientIp })]);
    const [, bad] = await read<{ id: number }>('select id from visit_journal order by id');
    if (visits !== null) await read('update visit_journal set visits = $1 where id = $2', [visits, bad?.id]);
    const { setTimeout: pass } = timers;
    const waits: (number | undefined)[] = [];
    // Hosts of other tests in this process wait as well.
    const isOwn = new AsyncLocalStorage<true>();
    vi.spyOn(timers, 'setTimeout').mockImplementation((ms, value, options) => {
      if (isOwn.getStore()) waits.push(ms);
      return pass(ms, value, options);
    });
    syncBuiltinESMExports();
    const { log, lines } = hearLog();
    await isOwn.run(true, async () => {
      const recorder = new VisitRecorder({ ...host.deps, log });
      for (let time = 0; time < 3; time += 1) {
        await recorder.claimStale(0);
        await recorder.idle();
      }
      await recorder.close();
    });
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
    expect(await read('select id from visit_journal')).toEqual([{ id: bad?.id }]);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 50,
        row: bad?.id,
        visits: 1,
        msg: expect.stringContaining('visit_journal'),
      }),
    ]);
    // The rows of a statement that has just failed may still be locked: the others are then tried once more.
    expect(waits.every((ms) => ms === 50) && waits.length <= 2, `waits of ${waits} ms`).toBe(true);
  },
);

test('a row that could not be counted is counted by the next host that can', async () => {
  const code = await host.code((await host.account()).id);
  await leave([visitOf(code.id, AT, { clientIp: '1' })]);
  const [row] = await read<{ id: number; visits: string }>('select id, visits from visit_journal');
  await read("update visit_journal set visits = 'of a later release'");
  const [older, later] = [new VisitRecorder(host.deps), new VisitRecorder(host.deps)];
  await older.claimStale(0);
  await older.close();
  await read('update visit_journal set visits = $1', [row?.visits]);
  await later.claimStale(0);
  await later.close();
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  expect(await journal()).toEqual([]);
});

test('a row is tried again if the database fails while it is counted alone', async () => {
  const code = await host.code((await host.account()).id);
  await leave([visitOf(code.id, AT, { clientIp: '1' })]);
  const recorder = new VisitRecorder(host.deps);
  broken.set('down', 'visits_count');
  await recorder.claimStale(0);
  broken.set('none');
  await recorder.close();
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
});

test('a batch that is being counted is not claimed again', async () => {
  await leave([visitOf('', AT, { codeId: null })]);
  let reads = 0;
  const query: TestHost['db']['query'] = (statement) => {
    if (statement.name === 'visits_read') reads += 1;
    return host.db.query(statement);
  };
  const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  broken.set('stuck', 'visits_count');
  for (let time = 0; time < 3; time += 1) await recorder.claimStale(0);
  broken.set('none');
  await recorder.close();
  expect(reads).toBe(1);
});

test('visits still in the journal when their account is erased count for no account', async () => {
  const [leaving, staying] = [await host.account(), await host.account()];
  const [gone, kept] = [await host.code(leaving.id), await host.code(staying.id)];
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(gone.id, AT));
  await recorder.idle();
  broken.set('stuck', 'visits_count');
  await Promise.all([gone, kept].map(({ id }) => recorder.record(visitOf(id, AT))));
  const erased = await send(host, 'DELETE', '/api/account', { password: leaving.password }, leaving);
  expect(erased.status).toBe(200);
  broken.set('none');
  await recorder.record(visitOf(gone.id, AT));
  await recorder.close();
  await eraseSingleVisits(host.db.orm, host.clock.now());
  expect(await readCode(host.db, gone.id)).toEqual({ raw: [], hours: [], totals: [], visitors: [] });
  expect((await readCode(host.db, kept.id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  for (const table of ['account_hours', 'account_facets', 'account_days', 'account_visitors']) {
    expect(await read(`select from ${table} where account_id = $1`, [leaving.id])).toEqual([]);
  }
  const { raw } = await readCounts(host.db);
  expect(raw.find(({ code_id }) => code_id === null)?.count).toBe(2);
});

test('a visit of a code that does not exist counts as a visit of an unknown slug', async () => {
  const recorder = new VisitRecorder(host.deps);
  const unknown = randomUUID();
  await recorder.record(visitOf(unknown, AT));
  await recorder.close();
  expect((await readCounts(host.db)).raw).toEqual([
    { code_id: null, source: 'scan', class: 'human', count: 1 },
  ]);
});
