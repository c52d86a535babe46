import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatistics, type Statistics } from '#contract/statistics';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

/** Quotients may rise when a filter leaves out codes; counts may not. */
const QUOTIENTS = ['average_per_code', 'conversion_rate', 'actions_per_visitor'];

/** The counts of a filter by the names that a reader sees. */
function countsOf({ figures, visitorsByDay }: Statistics): Map<string, number> {
  const counts = Object.values(figures)
    .filter(({ definition }) => !QUOTIENTS.includes(definition))
    .map(({ definition, value }) => [definition, value ?? 0] as const);
  const visitors = visitorsByDay.days.reduce((sum, day) => sum + day.visitors, 0);
  return new Map([...counts, [visitorsByDay.definition, visitors]]);
}

async function read(account: TestAccount, filter: object) {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', { period: 7, ...filter }, account);
  return getStatistics.response.parse(answered.body).data;
}

test('no filter makes a figure of the same name higher: persons of several codes have another name', async () => {
  const account = await host.account();
  const codes = [
    await host.code(account.id, { type: 'text', content: 'a menu', tags: ['menu'] }),
    await host.code(account.id, { type: 'text', content: 'more', tags: ['menu'] }),
    await host.code(account.id),
  ];
  const headers = { 'x-client-ip': '192.0.2.9', accept: 'application/json' };
  for (const { slug } of codes) await host.request(`/r/${slug}`, { headers });
  await host.recorder.idle();
  for (const { slug } of codes.slice(0, 2))
    await host.request(`/e/${slug}/copy`, { method: 'POST', headers });
  const all = countsOf(await read(account, {}));
  const tagged = await read(account, { tag: 'menu' });
  expect([all.get('unique_visitors'), all.get('distinct_engagements')]).toEqual([1, 1]);
  expect(tagged.figures.unique_visitors).toEqual({ definition: 'visitors_by_code', value: 2 });
  expect(tagged.figures.distinct_engagements).toEqual({ definition: 'engaged_by_code', value: 2 });
  expect(tagged.visitorsByDay.definition).toBe('visitors_by_code_and_day');
  const ofCodes = await Promise.all(codes.map(({ id }) => read(account, { code: id })));
  for (const filtered of [tagged, ...ofCodes].map(countsOf)) {
    const higher = [...filtered].filter(([name, count]) => count > (all.get(name) ?? count));
    expect(higher).toEqual([]);
  }
});
