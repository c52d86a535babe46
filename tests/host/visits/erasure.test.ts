import { sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { readRows } from '#host/db/orm';
import { describePartitions, makePartitions } from '#host/db/partitions';
import * as statisticsTables from '#host/db/statistics.tables';
import * as visitTables from '#host/db/visits.tables';
import { accountKeyOf } from '#host/visits/count/account-key';
import { foldOldDays } from '#host/visits/count/fold';
import { eraseSingleVisits, eraseVisits, indexOldVisits } from '#host/visits/count/retention';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { readEngagements, visitorAt } from '../engagements/engaged-codes';

/** Every table of counts, and the column with the id of their code or account. */
const COUNTS = {
  visits: 'code_id',
  visit_hours: 'code_id',
  visitor_days: 'code_id',
  code_totals: 'code_id',
  route_days: 'code_id',
  campaign_days: 'code_id',
  code_marks: 'code_id',
  code_engagements: 'code_id',
  code_beacons: 'code_id',
  engagements: 'code_id',
  waiting_engagements: 'code_id',
  account_hours: 'account_id',
  account_facets: 'account_id',
  account_days: 'account_id',
  account_visitors: 'account_id',
  day_figures: 'subject_id',
};

const OWN_INDEXES = `select tablename from pg_indexes where tablename ~ '^visits_' and indexdef like '%(account_key, code_id)%' order by 1`;

/** Without effect, but visits of a code that has it are counted by route. */
const FAR_AHEAD = { at: '2027-03-02T10:00:00.000Z', target: 'https://next.example/' };

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

/** Creates two codes with visits and engagements on a folded day and on the day after. */
async function fill(owner: TestAccount) {
  const codes = [
    await host.code(owner.id, {
      routing: { ...NO_ROUTING, schedule: FAR_AHEAD },
      campaign: { utm_source: 'flyer' },
    }),
    await host.code(owner.id, { type: 'text', content: 'x' }),
  ] as const;
  const [link, text] = codes;
  for (const day of [0, 1]) {
    const ada = visitorAt(host, '192.0.2.1');
    for (const code of codes) await ada.visit(code);
    await ada.report(link);
    await ada.copy(text);
    if (day === 0) host.clock.advance(DAY_MS);
  }
  // An engagement of a visitor whose visit was never counted.
  await host.db.orm.insert(statisticsTables.waitingEngagements).values({
    codeId: link.id,
    day: '2026-03-02',
    visitor: 1n,
    kind: 'report',
  });
  await foldOldDays(host.db, host.clock.now());
  await expect
    .poll(() => readEngagements(host, owner), { timeout: 10_000 })
    .toMatchObject({ engagements: 4 });
  host.clock.advance(-DAY_MS);
  return codes.map(({ id }) => id);
}

async function listTables(ids: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [table, column] of Object.entries(COUNTS)) {
    const text = `select from ${table} where ${column} = any ($1::uuid[])`;
    if ((await host.db.query({ name: '', text, values: [ids] })).length > 0) found.push(table);
  }
  return found;
}

test('every count is erased with the account, and those of others stay', async () => {
  const [leaving, staying] = [await host.account(), await host.account()];
  const [gone, kept] = [
    [leaving.id, ...(await fill(leaving))],
    [staying.id, ...(await fill(staying))],
  ];
  const all = Object.keys(COUNTS);
  expect(await listTables(gone)).toEqual(all);
  const erased = await send(host, 'DELETE', '/api/account', { password: leaving.password }, leaving);
  expect(erased.status).toBe(200);
  expect(await listTables(gone)).toEqual(['visits']);
  await eraseSingleVisits(host.db.orm, host.clock.now());
  expect(await listTables(gone)).toEqual([]);
  const left = await host.db.query({
    name: '',
    text: "select from jobs where kind <> 'routing'",
    values: [],
  });
  expect(left).toEqual([]);
  expect(await listTables(kept)).toEqual(all);
});

test('an account erased while another host folds its days leaves nothing behind', async () => {
  const leaving = await host.account();
  const ids = [leaving.id, ...(await fill(leaving))];
  const { orm } = host.db;
  // The hours of codes are folded first, in separate statements.
  await orm.execute(sql`delete from visit_hours`);
  let erasing: Promise<void> | undefined;
  await orm.transaction(async (transaction) => {
    await foldOldDays({ orm: transaction }, new Date(host.clock.now().getTime() + 2 * DAY_MS));
    erasing = orm.transaction((own) => eraseVisits(own, leaving.id, host.clock.now()));
    const waiting = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await readRows(orm, waiting)).length).toBe(1);
  });
  await erasing;
  expect(await listTables(ids)).toEqual(['visits']);
});

/** Creates and erases an account with visits on days with and without a partition; returns its code id. */
async function eraseOne(): Promise<string> {
  const account = await host.account();
  const code = await host.code(account.id);
  await host.db.orm.execute(sql`insert into visits
    select ${code.id}, ${START}::timestamptz + n * interval '3 hours', 'scan', 'human', 'served', '', '', '', ''
    from generate_series(-20, 20) as n`);
  expect((await send(host, 'DELETE', '/api/account', { password: account.password }, account)).status).toBe(
    200,
  );
  return code.id;
}
/** Visits on the first of March as an account's code would get them, without other counts. */
async function insertVisits(codeId: string, count: number, accountKey: number | null): Promise<void> {
  await host.db.orm.execute(sql`insert into visits
    select ${codeId}, '2026-03-01T12:00:00Z', 'scan', 'human', 'served', '', '', '', '', ${accountKey}::int
    from generate_series(1, ${count}::int)`);
}
const visitsOf = async (ids: string[]) => {
  const text = 'select count(*)::int as count from visits where code_id = any ($1::uuid[])';
  return (await host.db.query<{ count: number }>({ name: '', text, values: [ids] }))[0]?.count;
};
/** Erases the single visits, with something to do before each statement; returns the number of statements. */
async function countStatements(before = async (_number: number) => {}): Promise<number> {
  let count = 0;
  const counting = new Proxy(host.db.orm, {
    get: (orm, name) => {
      if (name === 'update' || name === 'delete') count += 1;
      if (name !== 'execute') return Reflect.get(orm, name);
      return async (...given: Parameters<typeof orm.execute>) => {
        count += 1;
        await before(count);
        return orm.execute(...given);
      };
    },
  });
  await eraseSingleVisits(counting, host.clock.now());
  return count;
}

test('all accounts that are due are erased in one pass through all partitions', async () => {
  await makePartitions(host.db.orm, new Date(START.getTime() - 2 * DAY_MS));
  await makePartitions(host.db.orm, START);
  // Those of other tests.
  await eraseSingleVisits(host.db.orm, host.clock.now());
  const first = await eraseOne();
  const forOne = await countStatements();
  expect(await visitsOf([first])).toBe(0);
  const others = [await eraseOne(), await eraseOne(), await eraseOne()];
  expect(await visitsOf(others)).toBe(3 * 41);
  expect(await countStatements()).toBe(forOne);
  expect(await visitsOf(others)).toBe(0);
  expect(await countStatements()).toBe(1);
  const afterwards = await eraseOne();
  await indexOldVisits(host.db.orm, START);
  const indexes = await host.db.query<object>({ name: '', text: OWN_INDEXES, values: [] });
  expect(indexes.map((row) => Object.values(row)[0])).toEqual(['visits_20260228', 'visits_20260301']);
  expect(await countStatements()).toBe(forOne);
  expect(await visitsOf([afterwards])).toBe(0);
});

test('visits have the key of the account of their code', async () => {
  const account = await host.account();
  const code = await host.code(account.id);
  for (const slug of [code.slug, 'ZZZZZZZ']) await host.request(`/r/${slug}`);
  await host.recorder.idle();
  const rows = await readRows(
    host.db.orm,
    sql`select distinct account_key as key from visits where code_id = ${code.id} or outcome = 'unknown' order by 1`,
  );
  const [signed] = await readRows<{ key: number }>(
    host.db.orm,
    sql`select ('x' || left(${account.id}, 8))::bit(32)::int as key`,
  );
  expect(rows).toEqual([signed, { key: null }]);
});

test.each(['account', 'code', 'nothing'])(
  'the visits of one account are erased from a day indexed by %s, with a key and without',
  async (by) => {
    const [leaving, staying] = [await host.account(), await host.account()];
    const [gone, kept] = [await host.code(leaving.id), await host.code(staying.id)];
    const key = accountKeyOf(leaving.id);
    const day = 'visits_20260301';
    await makePartitions(host.db.orm, new Date(START.getTime() - DAY_MS));
    await host.db.orm.execute(sql.raw(`drop index if exists ${day}_own`));
    if (by === 'code') await host.db.orm.execute(sql.raw(`create index ${day}_own on ${day} (code_id)`));
    // More than are deleted in one statement.
    await insertVisits(gone.id, 7_000, key);
    await insertVisits(gone.id, 50, null);
    // Of an account that happens to have the same key.
    await insertVisits(kept.id, 20, key);
    await insertVisits(kept.id, 30, null);
    if (by === 'account') await indexOldVisits(host.db.orm, START);
    await host.db.orm.transaction((own) => eraseVisits(own, leaving.id, START));
    await eraseSingleVisits(host.db.orm, host.clock.now());
    expect(await visitsOf([gone.id])).toBe(0);
    expect(await visitsOf([kept.id])).toBe(50);
  },
);

test('visits of one account among many are found by the index of their day', async () => {
  const account = await host.account();
  const codeIds = [(await host.code(account.id)).id, (await host.code(account.id)).id];
  const other = await host.code((await host.account()).id);
  await makePartitions(host.db.orm, new Date(START.getTime() - DAY_MS));
  await host.db.orm.execute(sql`drop index if exists visits_20260301_own`);
  await insertVisits(other.id, 50_000, accountKeyOf(account.id) ^ 1);
  for (const id of codeIds) await insertVisits(id, 10, accountKeyOf(account.id));
  await indexOldVisits(host.db.orm, START);
  await host.db.orm.transaction((own) => eraseVisits(own, account.id, START));
  await host.db.orm.transaction(async (transaction) => {
    // Counted by the server; within a transaction it does not clear what it has counted before.
    const countScans = async () => {
      const [scans] = await readRows<{ ofDay: number; ofIndex: number }>(
        transaction,
        sql`select pg_stat_get_xact_numscans('visits_20260301'::regclass)::int as "ofDay",
          pg_stat_get_xact_numscans('visits_20260301_own'::regclass)::int as "ofIndex"`,
      );
      return scans ?? { ofDay: 0, ofIndex: 0 };
    };
    const before = await countScans();
    await eraseSingleVisits(transaction, host.clock.now());
    const after = await countScans();
    expect(after.ofDay).toBe(before.ofDay);
    expect(after.ofIndex).toBeGreaterThan(before.ofIndex);
  });
  expect(await visitsOf(codeIds)).toBe(0);
});

test('a day that is dropped during an erasure does not stop it, and any other error does', async () => {
  for (const days of [30, 0]) await makePartitions(host.db.orm, new Date(START.getTime() - days * DAY_MS));
  const codeId = await eraseOne();
  await host.db.orm.execute(sql`insert into visits
    select ${codeId}, ${START}::timestamptz - interval '30 days', 'scan', 'human', 'served', '', '', '', ''`);
  const oldest = (await describePartitions(host.db.orm, 'visits')).at(-1);
  // The first two statements claim the erasure and list the partitions.
  const failing = countStatements(async (number) => {
    if (number === 3) throw new Error('canceling statement due to statement timeout');
  });
  await expect(failing).rejects.toThrow('timeout');
  expect(await visitsOf([codeId])).toBe(42);
  await host.db.orm.execute(sql`update jobs set claimed_until = null`);
  await countStatements(async (number) => {
    if (number === 3) await host.db.orm.execute(sql`drop table ${sql.identifier(oldest?.name ?? '')}`);
  });
  expect(await visitsOf([codeId])).toBe(0);
  expect(await countStatements()).toBe(1);
});

test('a claim is renewed each time that a minute has passed', async () => {
  await makePartitions(host.db.orm, START);
  await eraseOne();
  const atOnce = await countStatements();
  await eraseOne();
  let ms = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 61_000));
  const slowly = await countStatements().finally(() => clock.mockRestore());
  expect(slowly - atOnce).toBe((await describePartitions(host.db.orm, 'visits')).length);
});

test('one host does the work, and another takes over from a dead one', async () => {
  const codeId = await eraseOne();
  const claim = (until: string) =>
    host.db.orm.execute(sql.raw(`update jobs set claimed_until = now() + interval '${until}'`));
  await claim('5 minutes');
  const late = await eraseOne();
  await eraseSingleVisits(host.db.orm, host.clock.now());
  expect(await visitsOf([codeId, late])).toBe(82);
  await claim('-1 second');
  await eraseSingleVisits(host.db.orm, host.clock.now());
  expect(await visitsOf([codeId, late])).toBe(0);
});

test('no table of visits and figures is missing here', () => {
  const counted = [...Object.values(visitTables), ...Object.values(statisticsTables)]
    .map(getTableConfig)
    .filter(({ columns }) => columns.some(({ name }) => Object.values(COUNTS).includes(name)));
  expect(counted.map(({ name }) => name).sort()).toEqual(Object.keys(COUNTS).sort());
});
