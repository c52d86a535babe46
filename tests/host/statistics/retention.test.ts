import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { readStatistics } from '#host/statistics/statistics';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { foldOldDays } from '#host/visits/count/fold';
import { destroyOldSalts, dropOldVisits } from '#host/visits/count/retention';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { visitorAt } from '../engagements/engaged-codes';
import { emptyFigures } from './visit-stream';

const START = new Date('2026-03-02T10:00:00.000Z');
const MARKS = ['visitor_days', 'account_visitors', 'engagements'];

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  await emptyFigures(host.db);
  await host.db.query({ name: '', text: 'truncate visit_salts', values: [] });
  host.clock.set(START);
  owner = await host.account();
});
afterAll(() => host.close());

const daysOf = async (table: string) => {
  const text = `select distinct day::text from ${table} order by day`;
  return (await host.db.query<{ day: string }>({ name: '', text, values: [] })).map(({ day }) => day);
};
const countOf = async (table: string) => {
  const text = `select count(*)::int as count from ${table}`;
  return (await host.db.query<{ count: number }>({ name: '', text, values: [] }))[0]?.count;
};
/** The hourly work of a host. */
async function tidy() {
  const now = host.clock.now();
  await destroyOldSalts(host.db.orm, now);
  await foldOldDays(host.db, now);
  await dropOldVisits(host.db.orm, now);
  await dropOldPersons(host.db.orm, now);
}
async function readFigures(code: string | null) {
  const requested = { from: '2026-03-01', to: '2026-03-04', code, tag: null, timeZone: 'UTC' };
  const {
    asOf: _asOf,
    figures,
    ...parts
  } = await readStatistics(host.db.orm, owner.id, requested, { now: host.clock.now() });
  const { active_codes: _active, ...lasting } = figures;
  return { ...parts, figures: lasting };
}

test('marks of persons are dropped a day after their day has ended', async () => {
  const code = await host.code(owner.id, { type: 'text', content: 'x' });
  for (const day of [0, 1, 2]) {
    host.clock.set(new Date(START.getTime() + day * DAY_MS));
    const ada = visitorAt(host, '192.0.2.1');
    await ada.visit(code);
    await ada.copy(code);
  }
  const days = ['2026-03-02', '2026-03-03', '2026-03-04'];
  for (const table of MARKS) await expect.poll(() => daysOf(table)).toEqual(days);
  host.clock.set(new Date('2026-03-03T23:59:59.999Z'));
  await tidy();
  for (const table of MARKS) expect(await daysOf(table)).toEqual(days);
  host.clock.set(new Date('2026-03-04T00:00:00.000Z'));
  await tidy();
  for (const table of MARKS) expect(await daysOf(table)).toEqual(days.slice(1));
  host.clock.set(new Date('2026-03-06T00:00:00.000Z'));
  await tidy();
  for (const table of MARKS) expect(await daysOf(table)).toEqual([]);
});

test('more rows than one statement deletes are all dropped', async () => {
  const text = `insert into engagements (code_id, day, visitor, kind)
    select gen_random_uuid(), '2026-02-01', n, 'any' from generate_series(1, 12000) n`;
  await host.db.query({ name: '', text, values: [] });
  await dropOldPersons(host.db.orm, START);
  expect(await daysOf('engagements')).toEqual([]);
});

test('every figure is the same a year later, after single visits and persons are dropped', async () => {
  const [link, text] = [await host.code(owner.id), await host.code(owner.id, { type: 'text', content: 'x' })];
  for (const day of [0, 1]) {
    host.clock.set(new Date(START.getTime() + day * DAY_MS));
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const person = visitorAt(host, address);
      for (const code of [link, text, link]) await person.visit(code);
      if (address !== '192.0.2.3') await person.copy(text);
    }
    if (day === 1) await visitorAt(host, '192.0.2.3').report(link);
  }
  host.clock.set(new Date('2026-03-04T12:00:00.000Z'));
  const codes = [null, link.id, text.id];
  await expect.poll(async () => (await readFigures(null)).figures.engagements.value).toBe(5);
  const before = await Promise.all(codes.map(readFigures));
  expect(before.map(({ figures }) => figures.conversion_rate.value)).toEqual([5 / 6, 1 / 3, 4 / 6]);
  for (const days of [0, 1, 2, 30, 91, 365]) {
    host.clock.set(new Date(Date.parse('2026-03-04T12:00:00.000Z') + days * DAY_MS));
    await tidy();
    expect(await Promise.all(codes.map(readFigures))).toEqual(before);
  }
  for (const table of ['visits', ...MARKS, 'visit_hours', 'account_hours'])
    expect(await countOf(table)).toBe(0);
  const salts = await host.db.query({
    name: '',
    text: "select from visit_salts where salt <> ''",
    values: [],
  });
  expect(salts).toEqual([]);
});

test('first reports are reconciled for seven days, and earlier ones stay as they were counted', async () => {
  const run = (text: string, values: unknown[]) => host.db.query<{ day: string }>({ name: '', text, values });
  // Of hosts that were all down, so that no marks have been dropped.
  for (const day of ['2026-03-01', '2026-03-02']) {
    const { id } = await host.code(owner.id);
    await run('insert into code_beacons (code_id, since) values ($1, $2)', [id, day]);
    await run('insert into visitor_days (code_id, day, visitor) values ($1, $2, 1)', [id, day]);
  }
  await dropOldPersons(host.db.orm, new Date('2026-03-09T23:59:59.999Z'));
  const text = 'select day::text from account_days where account_id = $1 and measured = 1';
  expect(await run(text, [owner.id])).toEqual([{ day: '2026-03-02' }]);
});

test('a visit and a first report that were written concurrently are reconciled', async () => {
  const code = await host.code(owner.id);
  for (const address of ['192.0.2.1', '192.0.2.2']) await visitorAt(host, address).visit(code);
  // The state after both were written concurrently.
  const text = `insert into code_beacons (code_id, since) values ($1, '2026-03-02')`;
  await host.db.query({ name: '', text, values: [code.id] });
  const measured = async () => {
    const days = 'select measured from account_days where account_id = $1';
    return host.db.query({ name: '', text: days, values: [owner.id] });
  };
  expect(await measured()).toEqual([{ measured: 0 }]);
  for (const hours of [1, 2, 24, 72]) {
    await dropOldPersons(host.db.orm, new Date(START.getTime() + hours * 3_600_000));
    expect(await measured()).toEqual([{ measured: 2 }]);
  }
});
