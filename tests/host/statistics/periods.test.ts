import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatistics, LONGEST_RANGE, PERIODS } from '#contract/statistics';
import { readStatistics } from '#host/statistics/statistics';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
});
afterAll(() => host.close());

async function ask(body: object) {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, owner);
  expect(answered.status).toBe(200);
  return getStatistics.response.parse(answered.body).data;
}

test.each<[name: string, asked: { from: string; to: string } | { period: number }, length: number]>([
  ['today alone', { from: '2026-03-02', to: '2026-03-02' }, 1],
  ['the first day that can be counted', { from: '2020-01-01', to: '2020-01-01' }, 1],
  ['the longest range', { from: '2025-03-02', to: '2026-03-02' }, LONGEST_RANGE],
  ['a leap year', { from: '2024-01-01', to: '2024-12-31' }, LONGEST_RANGE],
  ...PERIODS.map((days): [string, { period: number }, number] => [
    `the last ${days} days`,
    { period: days },
    days,
  ]),
])('%s is counted day by day', async (_, requested, length) => {
  const { period, trend, visitorsByDay } = await ask(requested);
  if ('from' in requested) expect([period.from, period.to]).toEqual([requested.from, requested.to]);
  else expect(period.to).toBe('2026-03-02');
  for (const { days } of [trend, visitorsByDay]) {
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([length, period.from, period.to]);
    expect(new Set(days.map(({ day }) => day)).size).toBe(length);
  }
});

test('a tag of a hundred characters is looked up, and a longer one refused', async () => {
  const statusOf = async (tag: string) =>
    (await send(host, 'POST', '/api/qrcodes/stats', { tag }, owner)).status;
  expect([await statusOf('x'.repeat(100)), await statusOf('x'.repeat(101))]).toEqual([404, 422]);
});

test('figures that are behind are of an earlier time, which is rounded to seconds only in words', async () => {
  const read = async (behindMs: number) => {
    const filter = { period: 7, code: null, tag: null, timeZone: 'UTC' } as const;
    const { asOf, behindSeconds } = await readStatistics(host.db.orm, owner.id, filter, {
      now: START,
      behindMs,
    });
    return [START.getTime() - Date.parse(asOf), behindSeconds];
  };
  expect([await read(0), await read(499), await read(2_500)]).toEqual([
    [0, 0],
    [499, 0],
    [2_500, 3],
  ]);
});

test('without existing codes, visits of deleted ones have no average', async () => {
  const other = await host.account();
  const { id } = await host.code(other.id);
  await host.recorder.record(visitOf(id, '2026-03-01T10:00:00Z', { outcome: 'private' }));
  await host.recorder.idle();
  await send(host, 'DELETE', `/api/qrcodes/${id}`, undefined, other);
  const answered = await send(host, 'POST', '/api/qrcodes/stats', {}, other);
  const { figures } = getStatistics.response.parse(answered.body).data;
  expect([figures.visits.value, figures.total_codes.value, figures.unique_visitors.value]).toEqual([1, 0, 0]);
  expect([figures.average_per_code.value, figures.actions_per_visitor.value]).toEqual([null, null]);
});

test('the file of the days around a change of clocks is complete to its last line', async () => {
  host.clock.set(new Date('2026-10-26T12:00:00Z'));
  const other = await host.account();
  const text = await host.code(other.id, { type: 'text', content: 'x' });
  const times = ['10-24T21:59:00', '10-24T22:00:00', '10-25T22:59:00', '10-25T23:00:00'];
  for (const time of times) await host.recorder.record(visitOf(text.id, `2026-${time}Z`));
  await host.recorder.record(visitOf(text.id, '2026-10-25T12:00:00Z', { class: 'bot' }));
  await host.recorder.idle();
  await host.db.query({
    name: '',
    text: `update account_days set visitors = 2, measured = 2, engaged = 1, engagements = 3 where account_id = $1 and day = '2026-10-25'`,
    values: [other.id],
  });
  const query = 'from=2026-10-24&to=2026-10-26&timeZone=Europe/Paris';
  const answered = await host.request(`/api/qrcodes/stats/daily.csv?${query}`, other);
  const file = Buffer.from(await answered.arrayBuffer()).toString();
  host.clock.set(START);
  expect(file).toBe(
    [
      '\uFEFFday,hours,visits,scans,clicks,bots,previews,owner,unique_visitors,measured_visitors,distinct_engagements,engagements',
      // Written more than a day later, so not as a visitor.
      '2026-10-24,24,1,1,0,0,0,0,0,0,0,0',
      '2026-10-25,25,2,2,0,1,0,0,2,2,1,3',
      '2026-10-26,24,1,1,0,0,0,0,0,0,0,0',
      '',
    ].join('\r\n'),
  );
});
