import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { readComparison } from '~/statistics/compare.server';
import { visitOf } from '../../host/statistics/visit-stream';
import { openBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { userScopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/analytics/compare': 'statistics/compare-page.tsx' });
});
afterAll(async () => website.close());

const NOW = new Date('2026-03-02T10:00:00Z');
const read = (query: string) => readComparison(new URLSearchParams(query), 'UTC', NOW);

async function comparisonOf(account: TestAccount, search: string, language = 'en-GB') {
  const { getComparison } = await import('~/statistics/compare.server');
  const request = new Request(`http://localhost/user/analytics/compare${search}`, {
    headers: { 'accept-language': language },
  });
  const { data, init } = await getComparison(await userScopeOf(account, request), ({ content }) => content);
  return { ...data, status: init?.status ?? 200 };
}

test('without a choice, all codes are compared with the time before', () => {
  const { columns, filters, errors } = read('');
  expect(errors).toEqual([]);
  expect(columns.map(({ of }) => of)).toEqual(['all', 'all', '', '']);
  expect(filters).toMatchObject([
    { from: '2026-02-01', to: '2026-03-02' },
    { from: '2026-01-02', to: '2026-01-31' },
  ]);
});

test('a single column is compared with its time before', () => {
  const { filters } = read('of1=tag:wine&to1=2026-02-20&days=7');
  expect(filters).toMatchObject([
    { tag: 'wine', code: null, from: '2026-02-14', to: '2026-02-20' },
    { tag: 'wine', code: null, from: '2026-02-07', to: '2026-02-13' },
  ]);
});

test('the selection of the list is compared, at most four of it', () => {
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const query = (count: number) =>
    ids
      .slice(0, count)
      .map((id) => `id[]=${id}`)
      .join('&');
  expect(read(query(3)).filters.map(({ code }) => code)).toEqual(ids.slice(0, 3));
  expect(read(query(4)).isCut).toBe(false);
  expect(read(query(5))).toMatchObject({
    isCut: true,
    columns: ids.slice(0, 4).map((id) => ({ of: `code:${id}` })),
  });
});

test.each([
  ['of1=all&of2=code:nonsense', 1, 'code_invalid'],
  ['of1=rubbish&of2=all', 0, 'invalid'],
  ['of1=all&of2=all&to1=&to2=2026-03-03', 1, 'range_future'],
  ['of1=all&of2=all&to1=2026-02-31', 0, 'date_invalid'],
  ['of1=all&of2=all&to1=soon', 0, 'date_invalid'],
  ['of1=all&of2=all&to1=2019-05-05', 0, 'date_invalid'],
])('%s is refused in column %i with %s', (query, position, code) => {
  expect(read(query).errors).toContainEqual({ position, code });
});

test('the columns stand side by side with their change, and a line for each', async () => {
  const account = await website.host.account();
  const now = website.host.clock.now().getTime();
  const code = (content: string) =>
    website.host.code(account.id, { content, createdAt: new Date(now - 300 * DAY_MS) });
  const [one, two] = [await code('https://one.example/'), await code('https://two.example/')];
  const at = new Date(now - DAY_MS).toISOString();
  await website.host.recorder.record(visitOf(one.id, at, { clientIp: '198.51.100.1' }));
  await website.host.recorder.idle();
  const search = `?of1=code:${one.id}&to1=&of2=code:${two.id}&to2=&days=7`;
  const { shown, form, status } = await comparisonOf(account, search);
  expect(status).toBe(200);
  expect(shown?.columns.map(({ name }) => name)).toEqual(['https://one.example/', 'https://two.example/']);
  expect(shown?.rows[0]).toMatchObject({ definition: 'visits', cells: [{ value: '1' }, { value: '0' }] });
  expect(shown?.rows[0]?.cells.map(({ line }) => line)).toEqual([
    expect.stringContaining('chance'),
    'as many as in the time before',
  ]);
  expect(shown?.chart.drawing).toMatchObject({ kind: 'lines', lines: [{ letter: 'A' }, { letter: 'B' }] });
  expect(shown?.chart.table.rows).toHaveLength(7);
  expect(form?.codes.map(({ value }) => value)).toContain(`code:${two.id}`);
});

test('tags are offered with a colon as it is set in each language', async () => {
  const account = await website.host.account();
  const { id } = await website.host.code(account.id);
  await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { tags: ['Vin'] }, account);
  const labelIn = async (language: string) =>
    (await comparisonOf(account, '', language)).form?.groups.map(({ label }) => label);
  expect([await labelIn('de'), await labelIn('fr')]).toEqual([['Schlagwort: Vin'], ['Étiquette\u202f: Vin']]);
});

test('what is wrong in a query is refused, others’ codes are not found, and figures need a subscription', async () => {
  const account = await website.host.account();
  const foreign = await website.host.code((await website.host.account()).id);
  const browser = await openBrowser(website, account);
  expect((await browser.open('/user/analytics/compare')).status).toBe(200);
  expect((await browser.open('/user/analytics/compare?of1=all&of2=all&to1=soon')).status).toBe(400);
  expect((await browser.open(`/user/analytics/compare?of1=all&of2=code:${foreign.id}`)).status).toBe(404);
  const lapsed = await website.host.account({ access: false });
  expect(await comparisonOf(lapsed, '')).toMatchObject({ shown: null, form: null, status: 200 });
});

test('a refused form keeps what was chosen, and a tag is chosen in any spelling', async () => {
  const account = await website.host.account();
  const { id } = await website.host.code(account.id);
  await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { tags: ['Vin'], archived: true }, account);
  const chosen = [`code:${id}`, 'campaign:spring', 'tag:VIN'];
  const query = new URLSearchParams(chosen.map((of, at) => [`of${at + 1}`, of]));
  const optionsOf = async (last: string) => {
    const { form } = await comparisonOf(account, `?${query}&to1=${last}&to2=${last}&to3=${last}`);
    const options = [...(form?.codes ?? []), ...(form?.groups ?? [])].map(({ value }) => value);
    return form?.columns.slice(0, 3).map(({ of }) => (options.includes(of) ? of : null));
  };
  const kept = [`code:${id}`, 'campaign:spring', 'tag:Vin'];
  expect([await optionsOf(''), await optionsOf('2999-01-01')]).toEqual([kept, kept]);
});
