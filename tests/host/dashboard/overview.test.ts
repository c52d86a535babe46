import { afterAll, beforeAll, expect, test } from 'vitest';
import { getOverview } from '#contract/dashboard';
import { DAY_MS } from '#contract/time';
import { recordActivity } from '#host/accounts/activities';
import { accountDays } from '#host/db/statistics.tables';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from '../statistics/visit-stream';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function overview(token: string, query = '') {
  const answered = await send(host, 'GET', `/api/dashboard/overview${query}`, undefined, { token });
  return getOverview.response.parse(answered.body).data;
}

function valuesOf({ figures }: Awaited<ReturnType<typeof overview>>['stats']) {
  return {
    codes: figures.total_codes.value,
    active: figures.active_codes.value,
    visits: figures.visits.value,
    scans: figures.scans.value,
    clicks: figures.clicks.value,
    visitors: figures.unique_visitors.value,
  };
}

function day(ago: number) {
  return new Date(host.clock.now().getTime() - ago * DAY_MS).toISOString().slice(0, 10);
}

test('a new account has zeros, no subscription and no activity', async () => {
  const account = await host.account({ access: false });
  const { stats, ...others } = await overview(account.token);
  expect(others).toEqual({ subscription: null, recentActivities: [], unfinishedDesign: null });
  expect(valuesOf(stats)).toEqual({ codes: 0, active: 0, visits: 0, scans: 0, clicks: 0, visitors: 0 });
  expect(stats.trend.days).toHaveLength(30);
  expect(stats.mostActive.codes).toEqual([]);
});

test('all figures cover the same thirty days, and are those of the statistics', async () => {
  const [account, other] = [await host.account(), await host.account()];
  const [menu, flyer] = [await host.code(account.id), await host.code(account.id)];
  const foreign = await host.code(other.id);
  const visit = (codeId: string, ago: number, fields: Parameters<typeof visitOf>[2] = {}) =>
    host.recorder.record(visitOf(codeId, `${day(ago)}T08:00:00Z`, fields));
  await visit(menu.id, 0);
  await visit(menu.id, 29, { source: 'click' });
  await visit(flyer.id, 31);
  await visit(menu.id, 1, { class: 'bot' });
  await visit(foreign.id, 0);
  await host.recorder.idle();
  // Persons of visits this late are no longer counted.
  const visitors = [29, 30].map((ago) => ({ accountId: account.id, day: day(ago), visitors: 1 }));
  await host.db.orm.insert(accountDays).values(visitors);
  const { stats, subscription } = await overview(account.token);
  expect(valuesOf(stats)).toEqual({ codes: 2, active: 1, visits: 2, scans: 1, clicks: 1, visitors: 2 });
  expect(stats.trend.days.map(({ scans, clicks }) => scans + clicks)).toEqual([
    1,
    ...Array.from({ length: 28 }, () => 0),
    1,
  ]);
  const body = { period: 30, timeZone: 'UTC' };
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, account);
  expect(answered.body).toMatchObject({ data: stats });
  expect(subscription).toMatchObject({ status: 'active', running: true });
});

test('the days are those of the given time zone', async () => {
  const account = await host.account();
  const code = await host.code(account.id);
  await host.recorder.record(visitOf(code.id, `${day(1)}T20:00:00Z`));
  await host.recorder.idle();
  const last = async (timeZone: string) => {
    const { stats } = await overview(account.token, `?${new URLSearchParams({ timeZone })}`);
    return stats.trend.days.slice(-2).map(({ day, scans }) => [day, scans]);
  };
  expect(await last('UTC')).toEqual([
    [day(1), 1],
    [day(0), 0],
  ]);
  expect(await last('Asia/Tokyo')).toEqual([
    [day(1), 0],
    [day(0), 1],
  ]);
});

test('the five most visited codes are listed, before and after days are folded', async () => {
  const account = await host.account();
  for (let visits = 1; visits <= 6; visits += 1) {
    const code = await host.code(account.id, {
      name: visits === 6 ? null : `Table ${visits}`,
      content: 'https://xn--bcher-kva.example/',
    });
    for (let ago = 0; ago < visits; ago += 1)
      await host.recorder.record(visitOf(code.id, `${day(ago)}T08:00:00Z`));
    await host.recorder.record(visitOf(code.id, `${day(30)}T08:00:00Z`));
  }
  await host.recorder.idle();
  const requested = async () => {
    const { trend, mostActive } = (await overview(account.token)).stats;
    return { days: trend.days.map(({ scans }) => scans), codes: mostActive.codes };
  };
  const before = await requested();
  expect(before.days).toEqual([...Array.from({ length: 24 }, () => 0), 1, 2, 3, 4, 5, 6]);
  expect(before.codes.map(({ name, content, visits }) => [name ?? content, visits])).toEqual([
    ['https://bücher.example/', 6],
    ['Table 5', 5],
    ['Table 4', 4],
    ['Table 3', 3],
    ['Table 2', 2],
  ]);
  await foldOldDays(host.db, host.clock.now());
  expect(await requested()).toEqual(before);
});

test('the twenty latest activities are listed, newest first', async () => {
  const account = await host.account();
  for (let turn = 0; turn < 21; turn += 1) {
    const at = new Date(host.clock.now().getTime() + turn * 1000);
    await recordActivity(host.db.orm, account.id, turn === 0 ? 'auth_login' : 'qrcode_update', at);
  }
  const { recentActivities } = await overview(account.token);
  expect(recentActivities).toHaveLength(20);
  expect(recentActivities.every(({ type }) => type === 'qrcode_update')).toBe(true);
  const times = recentActivities.map(({ at }) => at);
  expect(times).toEqual([...times].sort().reverse());
});
