import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { shareReport } from '#contract/shared-reports';
import { getStatistics, type Statistics } from '#contract/statistics';
import { foldOldDays } from '#host/visits/count/fold';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  owner = await host.account();
});

const SPRING = { content: 'https://a.example/?utm_campaign=Spring' };

async function visit(slug: string, ip: string) {
  await host.request(`/r/${slug}`, { headers: { 'x-client-ip': ip } });
}

/** Two codes of a campaign with three visits, one of which has a tag, and another code with one visit. */
async function withVisits() {
  const tagged = await host.code(owner.id, { ...SPRING, tags: ['Menu'] });
  const plain = await host.code(owner.id, SPRING);
  const other = await host.code(owner.id, { tags: ['Menu'] });
  for (const { slug } of [tagged, plain, other]) await visit(slug, '192.0.2.1');
  await visit(plain.slug, '192.0.2.2');
  return { tagged, plain, other };
}

async function figures(body: object, token = owner.token): Promise<Statistics> {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', { period: 7, ...body }, { token });
  return getStatistics.response.parse(answered.body).data;
}

const countsOf = ({ figures: { visits, total_codes, unique_visitors }, mostActive }: Statistics) => ({
  visits: visits.value,
  codes: total_codes.value,
  visitors: unique_visitors.value,
  ranked: mostActive.codes.map((code) => code.visits),
});

test('figures of a campaign are those of its codes, on the day and after it is folded', async () => {
  const { plain } = await withVisits();
  const expected = { visits: 3, codes: 2, visitors: 3, ranked: [2, 1] };
  const spring = await figures({ campaign: 'SPRING' });
  expect(countsOf(spring)).toEqual(expected);
  expect(spring).toMatchObject({
    campaign: 'SPRING',
    tag: null,
    campaigns: { values: [{ value: 'Spring', visits: 3 }] },
    distribution: { types: [{ type: 'link', codes: 2, visits: 3 }] },
  });
  expect(countsOf(await figures({ campaign: 'spring', tag: 'menu' }))).toEqual({
    visits: 1,
    codes: 1,
    visitors: 1,
    ranked: [1],
  });
  expect(await figures({ campaign: 'spring', code: plain.id })).toMatchObject({
    campaign: null,
    figures: { visits: { value: 2 } },
  });
  host.clock.advance(26 * 3_600_000);
  await foldOldDays(host.db, host.clock.now());
  expect(countsOf(await figures({ campaign: 'spring' }))).toEqual(expected);
});

test('a campaign that no code leads to has no figures, and its earlier visits stay in the table of all', async () => {
  const { tagged, plain } = await withVisits();
  for (const { id } of [tagged, plain])
    await send(host, 'PATCH', `/api/qrcodes/${id}`, { content: 'https://a.example/' }, owner);
  expect(countsOf(await figures({ campaign: 'spring' }))).toEqual({
    visits: 0,
    codes: 0,
    visitors: 0,
    ranked: [],
  });
  expect((await figures({})).campaigns.values).toEqual([{ value: 'Spring', visits: 3 }]);
});

test('files, comparisons and shared reports take it as well', async () => {
  const { tagged, plain, other } = await withVisits();
  const text = await (
    await host.request('/api/qrcodes/stats/code-days.csv?period=7&campaign=spring', owner)
  ).text();
  expect([tagged, plain, other].map(({ id }) => text.includes(id))).toEqual([true, true, false]);
  const columns = [
    { period: 7, campaign: 'spring' },
    { period: 7, tag: 'menu' },
  ];
  const compared = await send(host, 'POST', '/api/qrcodes/stats/compare', { columns }, owner);
  const { data } = compared.body as unknown as { data: { columns: Statistics[] } };
  expect(data.columns.map((column) => column.figures.visits.value)).toEqual([3, 2]);
  const filter = { period: 30, campaign: 'spring' };
  const made = await send(host, 'POST', shareReport.path, { name: 'Client', filter, days: 7 }, owner);
  const shared = shareReport.response.parse(made.body).data;
  expect(shared.filter).toMatchObject({ campaign: 'spring', tag: null });
  const read = await send(host, 'POST', '/api/reports/read', { token: shared.token }, {});
  expect(read.body.data).toMatchObject({
    statistics: { campaign: 'spring', figures: { visits: { value: 3 } } },
  });
});

test('a key with a tag counts only the codes of the campaign that have it', async () => {
  await withVisits();
  const { secret } = await makeApiKey(host, owner, { tag: 'Menu' });
  const answered = await send(
    host,
    'POST',
    '/api/v1/statistics',
    { period: 7, campaign: 'spring' },
    { token: secret },
  );
  expect(answered.body.data).toMatchObject({ figures: { visits: { value: 1 }, total_codes: { value: 1 } } });
});
