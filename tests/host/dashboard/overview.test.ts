import { afterAll, beforeAll, expect, test } from 'vitest';
import { getOverview } from '#contract/dashboard';
import { DAY_MS } from '#contract/time';
import { recordActivity } from '#host/accounts/activities';
import { accountDays, accountHours } from '#host/db/statistics.tables';
import { codeTotals } from '#host/db/visits.tables';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from '../statistics/visit-stream';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function overview(token: string) {
  const answered = await send(host, 'GET', '/api/dashboard/overview', undefined, { token });
  return getOverview.response.parse(answered.body).data;
}

function hour(accountId: string, agoMs: number) {
  const at = new Date(host.clock.now().getTime() - agoMs);
  at.setUTCMinutes(0, 0, 0);
  return { accountId, hour: at, scans: 2, clicks: 1, bots: 10, previews: 10, owner: 10 };
}

function day(ago: number) {
  return new Date(host.clock.now().getTime() - ago * DAY_MS).toISOString().slice(0, 10);
}

test('a new account has zeros, no subscription and no activity', async () => {
  const account = await host.account({ access: false });
  expect(await overview(account.token)).toEqual({
    stats: { codes: 0, activeCodes: 0, scans: 0, clicks: 0, visitsToday: 0, uniqueVisitors30: 0 },
    subscription: null,
    recentActivities: [],
    unfinishedDesign: null,
    visitsByDay: Array.from({ length: 30 }, () => 0),
    mostVisited: [],
  });
});

test('totals cover existing codes; today’s visits and visitors cover the account', async () => {
  const [account, other] = [await host.account(), await host.account()];
  const [busy, quiet, gone] = [
    await host.code(account.id),
    await host.code(account.id),
    await host.code(account.id),
  ];
  const foreign = await host.code(other.id);
  const now = host.clock.now();
  const { orm } = host.db;
  await orm.insert(codeTotals).values([
    { codeId: busy.id, scans: 7, clicks: 3, others: 9, lastAt: now },
    { codeId: quiet.id, scans: 1, clicks: 0, others: 0, lastAt: new Date(now.getTime() - 31 * DAY_MS) },
    { codeId: gone.id, scans: 100, clicks: 100, others: 0, lastAt: now },
    { codeId: foreign.id, scans: 50, clicks: 50, others: 0, lastAt: now },
  ]);
  await orm
    .insert(accountHours)
    .values([
      hour(account.id, 0),
      hour(account.id, 3_600_000),
      hour(account.id, 11 * 3_600_000),
      hour(other.id, 0),
    ]);
  await orm.insert(accountDays).values([
    { accountId: account.id, day: day(0), visitors: 2 },
    { accountId: account.id, day: day(29), visitors: 1 },
    { accountId: account.id, day: day(30), visitors: 1 },
    { accountId: other.id, day: day(0), visitors: 1 },
  ]);
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, account);
  const { stats, subscription } = await overview(account.token);
  expect(stats).toEqual({
    codes: 2,
    activeCodes: 1,
    scans: 8,
    clicks: 3,
    visitsToday: 6,
    uniqueVisitors30: 3,
  });
  expect(subscription).toMatchObject({ status: 'active', running: true });
});

test('visits of the last thirty days are listed by day, with the five most visited codes', async () => {
  const [account, other] = [await host.account(), await host.account()];
  const visit = async (codeId: string, ago: number, fields: Parameters<typeof visitOf>[2] = {}) => {
    await host.recorder.record(visitOf(codeId, `${day(ago)}T08:00:00Z`, fields));
  };
  for (let visits = 1; visits <= 6; visits += 1) {
    const code = await host.code(account.id, {
      name: visits === 6 ? null : `Table ${visits}`,
      content: 'https://xn--bcher-kva.example/',
    });
    for (let turn = 0; turn < visits; turn += 1) await visit(code.id, turn);
    await visit(code.id, 30);
    await visit(code.id, 0, { class: 'bot' });
  }
  await visit((await host.code(other.id)).id, 0);
  await host.recorder.idle();
  const requested = async () => {
    const { visitsByDay, mostVisited } = await overview(account.token);
    return { visitsByDay, mostVisited };
  };
  const before = await requested();
  expect(before.visitsByDay).toEqual([...Array.from({ length: 24 }, () => 0), 1, 2, 3, 4, 5, 6]);
  expect(before.mostVisited.map(({ name, content, visits }) => [name ?? content, visits])).toEqual([
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
