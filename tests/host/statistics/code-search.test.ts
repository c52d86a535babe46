import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEARCH_PAGE_SIZE, searchCodes } from '#contract/statistics';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account({ access: false });
});
afterAll(() => host.close());

async function search(text: string, { token } = account, before?: number) {
  const query = new URLSearchParams({ text, ...(before && { before: String(before) }) });
  const answered = await send(host, 'GET', `/api/qrcodes/stats/codes?${query}`, undefined, { token });
  expect(answered.status).toBe(200);
  return searchCodes.response.parse(answered.body).data;
}

test('a search matches the middle of a content in any case, newest code first', async () => {
  const menu = await host.code(account.id, { content: 'https://shop.example/Menu?table=4' });
  const sale = await host.code(account.id, { name: 'Summer', content: 'https://shop.example/sale' });
  const poem = await host.code(account.id, { type: 'text', content: 'Im Menü: ÄPFEL' });
  const found = async (text: string) => (await search(text)).codes.map(({ id }) => id);
  expect(await found('shop')).toEqual([sale.id, menu.id]);
  expect(await found('SUMMER')).toEqual([sale.id]);
  expect(await found('  mEnU?TABLE ')).toEqual([menu.id]);
  expect(await found('äpfel')).toEqual([poem.id]);
  expect(await found('nothing of the kind')).toEqual([]);
  expect((await search('sale')).codes).toEqual([
    { id: sale.id, type: 'link', name: 'Summer', content: 'https://shop.example/sale' },
  ]);
});

test('special characters of patterns match literally', async () => {
  const owner = await host.account();
  const odd = await host.code(owner.id, { type: 'text', content: `100% (a+b)* [x] \\d _ '";--` });
  await host.code(owner.id, { type: 'text', content: 'plain' });
  for (const text of ['%', '(a+b)*', '[x]', '\\d', '_', `'";--`, '***=', '.*']) {
    const { codes } = await search(text, owner);
    expect(codes.map(({ id }) => id)).toEqual(odd.content.includes(text) ? [odd.id] : []);
  }
});

test('a code is found by its link and by its slug', async () => {
  const { id, slug } = await host.code(account.id, { content: 'https://elsewhere.example/' });
  for (const text of [slug, slug.toLowerCase(), `https://go.quadrille.example/l/${slug}`]) {
    expect((await search(text)).codes.map((code) => code.id)).toEqual([id]);
  }
});

test('deleted codes and those of other accounts are not found', async () => {
  const [owner, stranger] = [await host.account(), await host.account()];
  const gone = await host.code(owner.id, { content: 'https://gone.example/' });
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, owner);
  await host.code(stranger.id, { content: 'https://gone.example/' });
  expect(await search('gone.example', owner)).toEqual({ codes: [], next: null });
});

test('a full page that is the last has no next one, and one code more has', async () => {
  const owner = await host.account();
  for (let n = 0; n < SEARCH_PAGE_SIZE; n += 1) await host.code(owner.id, { name: `Table ${n}` });
  const full = await search('table', owner);
  expect([full.codes.length, full.next]).toEqual([SEARCH_PAGE_SIZE, null]);
  await host.code(owner.id, { name: 'Table, the newest' });
  const first = await search('table', owner);
  expect([first.codes.length, first.codes.at(-1)?.name]).toEqual([SEARCH_PAGE_SIZE, 'Table 1']);
  const last = await search('table', owner, first.next ?? 0);
  expect([last.codes.map(({ name }) => name), last.next]).toEqual([['Table 0'], null]);
});

test('more codes than one response contains are paged', async () => {
  const owner = await host.account();
  const older = await host.code(owner.id, { content: 'https://old.example/' });
  const last = 5_000;
  await host.db.orm.execute(sql`insert into codes
      (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
    select gen_random_uuid(), ${owner.id}, ${`${owner.id} `} || n, n, 'link', 'https://many.example/' || n, 'public',
      false, now(), now() from generate_series(2, ${last}::int) as n`);
  await host.db.orm.execute(sql`update accounts set last_code_number = ${last} where id = ${owner.id}`);
  const first = await search('MANY.example', owner);
  expect(first.codes).toHaveLength(SEARCH_PAGE_SIZE);
  expect(first.codes[0]?.content).toBe(`https://many.example/${last}`);
  const second = await search('MANY.example', owner, first.next ?? 0);
  expect(second.codes[0]?.content).toBe(`https://many.example/${last - SEARCH_PAGE_SIZE}`);
  expect(await search('old.example', owner)).toMatchObject({ codes: [{ id: older.id }], next: null });
});

test('an empty search, one that is too long and an invalid position are refused', async () => {
  const host = await createTestHost();
  const account = await host.account();
  for (const query of ['', 'text=', 'text=%20', `text=${'x'.repeat(256)}`, 'text=a%00b', 'text=a&before=0']) {
    const { status } = await send(host, 'GET', `/api/qrcodes/stats/codes?${query}`, undefined, account);
    expect([query.slice(0, 20), status]).toEqual([query.slice(0, 20), 422]);
  }
  for (const query of [`text=${'x'.repeat(255)}`, 'text=a&before=1', 'text=a&before=2147483647']) {
    const { status } = await send(host, 'GET', `/api/qrcodes/stats/codes?${query}`, undefined, account);
    expect([query.slice(0, 20), status]).toEqual([query.slice(0, 20), 200]);
  }
  await host.close();
});
