import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCodes } from '#contract/codes';
import { deleteCode } from '#host/codes/code/deletion';
import { readCodes } from '#host/codes/code/store';
import { createCodeIndexes } from '#host/codes/search/indexes';
import { findCodes } from '#host/codes/search/list';
import { createTestHost, type TestHost } from '../../support/host';

const CODES = 1_700;
const LIMIT = 10;

let host: TestHost;
let accountId: string;

beforeAll(async () => {
  host = await createTestHost();
  accountId = (await host.account()).id;
  const { orm } = host.db;
  await orm.execute(sql`insert into codes
      (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
    select gen_random_uuid(), ${accountId}, 'block ' || n, n, 'link', 'https://destination.example/', 'public', false,
      now(), now()
    from generate_series(1, ${CODES}::int) as n`);
  await orm.execute(sql`insert into code_blocks
    select account_id, number / 500, count(*) from codes where account_id = ${accountId} group by 1, 2`);
  await orm.execute(
    sql`update accounts set last_code_number = ${CODES}, code_count = ${CODES} where id = ${accountId}`,
  );
});

afterAll(() => host.close());

async function numbersOf(page: number, owner = accountId): Promise<number[]> {
  const requested = listCodes.query.parse({ page, limit: LIMIT });
  const { ids } = await findCodes(host.db.orm, createCodeIndexes(host.db), owner, requested);
  return (await readCodes(host.db.orm, owner, ids)).map(({ number }) => number);
}

test('pages are contiguous, even where whole blocks of codes are deleted', async () => {
  const { orm } = host.db;
  const left = Array.from({ length: CODES }, (_, n) => n + 1);
  // A whole block, all but one code of another, and some scattered codes.
  const isGone = (n: number) => (n >= 500 && n < 1_000) || (n > 1_001 && n < 1_500) || n % 97 === 0;
  const gone = left.filter(isGone);
  const [atOnce, oneByOne] = [gone.filter((n) => n % 50 !== 0), gone.filter((n) => n % 50 === 0)];
  await orm.execute(sql`update codes set deleted_at = now() where account_id = ${accountId}
    and number in ${atOnce}`);
  await orm.execute(sql`update code_blocks b set codes = (select count(*) from codes c
    where c.account_id = b.account_id and c.number / 500 = b.block and c.deleted_at is null)`);
  for (const number of oneByOne) {
    const [row] = await host.db.query<{ id: string }>({
      name: '',
      text: 'select id from codes where account_id = $1 and number = $2',
      values: [accountId, number],
    });
    expect(await deleteCode(orm, accountId, row?.id ?? '', host.clock.now())).toBe(true);
  }
  const expected = left.filter((n) => !isGone(n)).reverse();
  const pages = Math.ceil(expected.length / LIMIT);
  for (const page of [1, 2, 20, 21, Math.floor(pages / 2), pages - 1, pages]) {
    expect(await numbersOf(page), `page ${page}`).toEqual(expected.slice((page - 1) * LIMIT, page * LIMIT));
  }
  expect(await numbersOf(pages + 1)).toEqual([]);
});

test('a new code is the first of the list', async () => {
  const made = await host.code(accountId);
  expect(made.accountId).toBe(accountId);
  expect((await numbersOf(1))[0]).toBe(CODES + 1);
});

test('codes created concurrently get distinct numbers', async () => {
  const other = (await host.account()).id;
  await Promise.all(Array.from({ length: 8 }, () => host.code(other)));
  expect(await numbersOf(1, other)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});
