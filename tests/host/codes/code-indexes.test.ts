import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CodeFilter, CodeOrder } from '#contract/codes';
import { changeCode } from '#host/codes/code/change';
import { deleteCode } from '#host/codes/code/deletion';
import { type CodeIndexes, createCodeIndexes } from '#host/codes/search/indexes';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const QUESTIONS: [query: object, order: CodeOrder][] = [
  [{ show: 'all' }, 'newest'],
  [{}, 'name'],
  [{ show: 'all' }, 'visits'],
  [{ show: 'all' }, 'last_visit'],
  [{ search: 'MENU' }, 'name'],
  [{ tag: 'Été' }, 'visits'],
  [{ search: 'ete' }, 'last_visit'],
  [{ visibility: 'private' }, 'newest'],
  [{ show: 'archived' }, 'name'],
  [{ show: 'never_visited' }, 'newest'],
];
const STEPS = 60;

describe('codes kept in memory', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  afterAll(() => host.close());

  const numbersOf = async (codeIndexes: CodeIndexes, query: object, order: CodeOrder) => {
    const found = await codeIndexes.find(account.id, CodeFilter.parse(query), order);
    expect(found.total).toBe(found.codes.length);
    return found.codes.map(({ number, visits }) => `${number}: ${visits}`);
  };
  const listed = () => host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));

  test('every host sees what any host wrote or counted', async () => {
    account = await host.account();
    const both = [createCodeIndexes(host.db), createCodeIndexes(host.db)];
    const changes: ((code: typeof codes.$inferSelect, step: number) => Promise<unknown>)[] = [
      (_code, step) => host.code(account.id, { name: step % 2 ? `Menü ${step}` : null, tags: ['été'] }),
      (code) => host.request(`/r/${code.slug}`),
      (code, step) => changeCode(host.db.orm, code, { name: `menu ${step}` }, host.clock.now()),
      (code) => changeCode(host.db.orm, code, { visibility: 'private' }, host.clock.now()),
      (code) => host.request(`/l/${code.slug}`),
      (code, step) => changeCode(host.db.orm, code, { tags: [`tag ${step % 3}`] }, host.clock.now()),
      (code) => changeCode(host.db.orm, code, { archived: !code.archivedAt }, host.clock.now()),
      (code) => deleteCode(host.db.orm, account.id, code.id, host.clock.now()),
      () => host.code(account.id, { name: 'Zebra', tags: ['ÉTÉ', 'x'] }),
    ];
    await host.code(account.id);
    await host.code(account.id);
    for (let step = 0; step < STEPS; step += 1) {
      host.clock.advance(1_000);
      const left = (await listed()).filter(({ deletedAt }) => !deletedAt);
      const code = left[(step * 7) % left.length];
      if (code) await changes[step % changes.length]?.(code, step);
      const fresh = createCodeIndexes(host.db);
      for (const [query, order] of QUESTIONS) {
        const expected = await numbersOf(fresh, query, order);
        for (const codeIndexes of both)
          expect([step, query, await numbersOf(codeIndexes, query, order)]).toEqual([step, query, expected]);
      }
    }
    const totals = await numbersOf(createCodeIndexes(host.db), { show: 'all' }, 'visits');
    expect(totals.length).toBeGreaterThan(5);
    expect(totals[0]).not.toMatch(/: 0$/);
  });

  test('queries are correct when concurrent, consecutive or overlapping a change', async () => {
    account = await host.account();
    const codeIndexes = createCodeIndexes(host.db);
    for (let round = 0; round < 10; round += 1) {
      const made = host.code(account.id);
      const requested = QUESTIONS.map(([, order]) => numbersOf(codeIndexes, {}, order));
      await made;
      const after = await numbersOf(codeIndexes, {}, 'newest');
      expect(after).toHaveLength(round + 1);
      for (const numbers of await Promise.all(requested))
        expect([round, round + 1]).toContain(numbers.length);
    }
  });

  test('more codes than one page are all read', async () => {
    account = await host.account();
    await host.db.orm.execute(sql`insert into codes
        (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
      select gen_random_uuid(), ${account.id}, ${`${account.id} `} || n, n, 'link', 'https://many.example/' || n * 7919 % 9001,
        'public', false, now(), now() from generate_series(1, 9000) as n`);
    const codeIndexes = createCodeIndexes(host.db);
    const filter = CodeFilter.parse({});
    const [rows, all] = [await listed(), await codeIndexes.find(account.id, filter, 'name')];
    expect(all.total).toBe(9_000);
    const { compare } = new Intl.Collator('en', { numeric: true });
    const sorted = [...rows].sort((a, b) => compare(a.content, b.content));
    expect(all.codes.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
    const some = await codeIndexes.find(account.id, filter, 'name', { from: 8_000, to: 8_010 });
    expect(some).toEqual({ total: 9_000, codes: all.codes.slice(8_000, 8_010) });
  });

  test('hundreds of changes, with as many deleted as added, are found in every order', async () => {
    account = await host.account();
    const insert = (first: number, last: number) =>
      host.db.orm.execute(sql`insert into codes
          (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
        select gen_random_uuid(), ${account.id}, ${`${account.id} `} || n, n, 'text', n * 7919 % 1009, 'public', false, now(), now()
          from generate_series(${first}::int, ${last}::int) as n`);
    await insert(1, 500);
    const codeIndexes = createCodeIndexes(host.db);
    const orders = CodeOrder.options;
    for (const order of orders) await numbersOf(codeIndexes, {}, order);
    await host.db.orm.execute(
      sql`update codes set deleted_at = now() where account_id = ${account.id} and number % 3 = 0`,
    );
    await host.db.orm.execute(
      sql`update codes set name = 'x' || number % 10 where account_id = ${account.id} and number % 5 = 0 and deleted_at is null`,
    );
    await insert(501, 667);
    for (const order of orders) {
      const expected = await numbersOf(createCodeIndexes(host.db), { search: '1' }, order);
      expect(expected.length).toBeGreaterThan(100);
      expect(await numbersOf(codeIndexes, { search: '1' }, order)).toEqual(expected);
    }
  });

  test('an account that does not fit in memory is read again for each query', async () => {
    account = await host.account();
    const codeIndexes = createCodeIndexes(host.db, { memoryBytes: 100 });
    for (const expected of [1, 2, 3]) {
      await host.code(account.id);
      expect(await numbersOf(codeIndexes, {}, 'name')).toHaveLength(expected);
    }
  });
});

test('a change that begins before another and commits after it is not missed', async () => {
  const host = await createTestHost();
  const account = await host.account();
  const [first, second] = [await host.code(account.id), await host.code(account.id)];
  const codeIndexes = createCodeIndexes(host.db);
  const privates = async () => {
    const filter = CodeFilter.parse({ visibility: 'private' });
    return (await codeIndexes.find(account.id, filter, 'newest')).codes.map(({ id }) => id);
  };
  const hide = (orm: typeof host.db.orm, { id }: { id: string }) =>
    changeCode(orm, { accountId: account.id, id }, { visibility: 'private' }, host.clock.now());
  expect(await privates()).toEqual([]);
  await host.db.orm.transaction(async (slow) => {
    await hide(slow, first);
    await hide(host.db.orm, second);
    expect(await privates()).toEqual([second.id]);
  });
  expect(await privates()).toEqual([second.id, first.id]);
  await host.close();
});

/** Its transactions seem to be those of a server that has hardly been used. */
function withLowerTransactionIds(orm: Orm): Orm {
  return new Proxy(orm, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'execute') return typeof value === 'function' ? value.bind(target) : value;
      return async (query: Parameters<Orm['execute']>[0]) => {
        const result = (await target.execute(query)) as unknown as { rows: { position?: number }[] };
        for (const row of result.rows) if (row.position !== undefined) row.position = 1;
        return result;
      };
    },
  });
}

test('a database that replaces another and has a lower transaction id is read from scratch', async () => {
  const host = await createTestHost();
  const account = await host.account();
  await host.code(account.id);
  const other = await createTestHost();
  let orm = host.db.orm;
  const swapped = new Proxy(orm, {
    get: (_target, name) => {
      const value = Reflect.get(orm, name) as unknown;
      return typeof value === 'function' ? value.bind(orm) : value;
    },
  });
  const codeIndexes = createCodeIndexes({ orm: swapped });
  await host.db.orm.execute(
    sql`update codes set written_in = 9000000000000 where account_id = ${account.id}`,
  );
  const found = () => codeIndexes.find(account.id, CodeFilter.parse({}), 'newest');
  expect(await found()).toMatchObject({ total: 1 });
  orm = withLowerTransactionIds(other.db.orm);
  expect(await found()).toMatchObject({ total: 0 });
  await Promise.all([host.close(), other.close()]);
});
