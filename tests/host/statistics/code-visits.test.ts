import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCodeVisits } from '#contract/code-visits';
import { getStatistics } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

async function ask(id: string) {
  const answered = await send(host, 'GET', `/api/qrcodes/${id}/visits`, undefined, account);
  return getCodeVisits.response.parse(answered.body).data;
}

async function visit(id: string, at: Date | string, fields: Parameters<typeof visitOf>[2] = {}) {
  await host.recorder.record(visitOf(id, new Date(at).toISOString(), fields));
}

const daysAgo = (days: number) => new Date(host.clock.now().getTime() - days * DAY_MS);

test('visits are listed with their details, newest first', async () => {
  const { id, slug } = await host.code(account.id);
  await visit(id, '2026-03-01T08:00:00.250Z', { class: 'bot', source: 'click', language: '' });
  await host.request(`/r/${slug}`, { headers: { 'accept-language': 'fr-FR, en;q=0.5' } });
  expect(await ask(id)).toEqual({
    health: 'active',
    total: 1,
    scans: 1,
    clicks: 0,
    others: 1,
    firstDay: '2026-03-02',
    lastAt: '2026-03-02T10:00:00.000Z',
    recentVisits: [...Array.from({ length: 11 }, () => 0), 1],
    visits: [
      {
        at: '2026-03-02T10:00:00.000Z',
        class: 'human',
        source: 'scan',
        outcome: 'served',
        device: 'phone',
        os: 'ios',
        language: 'fr',
      },
      {
        at: '2026-03-01T08:00:00.250Z',
        class: 'bot',
        source: 'click',
        outcome: 'served',
        device: 'phone',
        os: 'ios',
        language: '',
      },
    ],
  });
});

test('the figures of the last 30 days equal those of the statistics in that time zone', async () => {
  const { id, slug } = await host.code(account.id);
  await host.request(`/r/${slug}`);
  const timeZone = 'Asia/Kolkata';
  const path = `/api/qrcodes/${id}/visits?timeZone=${encodeURIComponent(timeZone)}`;
  const answered = await send(host, 'GET', path, undefined, account);
  const { recent } = getCodeVisits.response.parse(answered.body).data;
  const filter = { period: 30, code: id, timeZone };
  const whole = await send(host, 'POST', '/api/qrcodes/stats', filter, account);
  const { period, figures } = getStatistics.response.parse(whole.body).data;
  expect(recent).toEqual({ period, figures });
  expect([figures.visits.value, period.lateMinutes]).toEqual([1, 30]);
  const nowhere = `/api/qrcodes/${id}/visits?timeZone=Nowhere`;
  expect((await send(host, 'GET', nowhere, undefined, account)).status).toBe(422);
});

test('the last twenty visits are found among many, across folded days and late visits', async () => {
  const [code, other] = [await host.code(account.id), await host.code(account.id)];
  const times = Array.from({ length: 45 }, (_, i) => new Date(daysAgo(i * 2).getTime() - i * 1_234_567));
  for (const at of times) await Promise.all([visit(code.id, at), visit(other.id, at)]);
  await host.recorder.idle();
  await foldOldDays(host.db, host.clock.now());
  const late = new Date(daysAgo(10).getTime() + 777);
  await visit(code.id, late, { source: 'click' });
  await host.recorder.idle();
  const newest = () => [...times, late].sort((a, b) => b.getTime() - a.getTime()).slice(0, 20);
  const expected = newest().map((at) => at.toISOString());
  expect((await ask(code.id)).visits.map(({ at }) => at)).toEqual(expected);
  await foldOldDays(host.db, host.clock.now());
  const folded = await ask(code.id);
  expect(folded.visits.map(({ at }) => at)).toEqual(expected);
  expect([folded.total, folded.clicks]).toEqual([46, 1]);
  expect(folded.firstDay).toBe(times.at(-1)?.toISOString().slice(0, 10));
});

test('single visits older than 90 days are not listed, but stay counted', async () => {
  const { id } = await host.code(account.id, { createdAt: daysAgo(200) });
  await visit(id, daysAgo(100));
  await host.recorder.idle();
  await foldOldDays(host.db, host.clock.now());
  expect(await ask(id)).toMatchObject({ health: 'quiet', total: 1, visits: [] });
});

test('visits of the day that began ninety days ago are listed, and of the day before not', async () => {
  const { id } = await host.code(account.id, { createdAt: daysAgo(200) });
  const first = new Date(`${daysAgo(90).toISOString().slice(0, 10)}T00:00:00.000Z`);
  await visit(id, first);
  await visit(id, new Date(first.getTime() - 1));
  await host.recorder.idle();
  await foldOldDays(host.db, host.clock.now());
  const { visits, total } = await ask(id);
  expect([visits.map(({ at }) => at), total]).toEqual([[first.toISOString()], 2]);
});

test('of twenty and of twenty-one visits in consecutive hours the last twenty are listed', async () => {
  const { id } = await host.code(account.id);
  const times = Array.from({ length: 21 }, (_, n) => new Date(host.clock.now().getTime() - n * 3_600_000));
  const listed = async () => (await ask(id)).visits.map(({ at }) => at);
  for (const at of times.slice(0, 20)) await visit(id, at);
  await host.recorder.idle();
  const expected = times.slice(0, 20).map((at) => at.toISOString());
  expect(await listed()).toEqual(expected);
  await visit(id, times[20] ?? '');
  await host.recorder.idle();
  expect(await listed()).toEqual(expected);
  await foldOldDays(host.db, host.clock.now());
  expect(await listed()).toEqual(expected);
});

test.each([
  ['new', 7, null],
  ['never', 7 + 1 / DAY_MS, null],
  ['active', 200, 30],
  ['quiet', 200, 30 + 1 / DAY_MS],
] as const)('a code is %s (created %i days ago, visited %s days ago)', async (health, made, visited) => {
  const { id } = await host.code(account.id, { createdAt: daysAgo(made) });
  await visit(id, daysAgo(0), { class: 'bot' });
  if (visited !== null) await visit(id, daysAgo(visited));
  await host.recorder.idle();
  expect(await ask(id)).toMatchObject({ health, others: 1 });
});

test('a Wi-Fi code is reported as not countable', async () => {
  const { id, slug } = await host.code(account.id, { type: 'wifi', content: 'WIFI:T:nopass;S:a;;' });
  await host.request(`/r/${slug}`);
  expect(await ask(id)).toEqual({
    health: 'uncounted',
    total: 0,
    scans: 0,
    clicks: 0,
    others: 0,
    firstDay: null,
    lastAt: null,
    recentVisits: [],
    visits: [],
  });
});
