import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCodeVisits } from '#contract/code-visits';
import { listCodes } from '#contract/codes';
import { getOverview } from '#contract/dashboard';
import { getStatistics } from '#contract/statistics';
import { createLiveOwners } from '#host/statistics/live';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { readCsv } from './read-csv';
import { visitOf } from './visit-stream';

/** The maximum of a 32-bit integer. */
const MAX = 2 ** 31 - 1;
const COLUMNS = {
  visit_hours: ['count', 'visitors'],
  code_totals: ['scans', 'clicks', 'others'],
  code_engagements: ['engagements', 'engaged'],
  account_hours: ['scans', 'clicks', 'bots', 'previews', 'owner'],
  account_facets: ['visits'],
  account_days: ['visitors', 'measured', 'engaged', 'engagements'],
};

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

async function fillCounters() {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const text = `update ${table} set ${columns.map((column) => `${column} = ${MAX}`).join(', ')}`;
    await host.db.query({ name: '', text, values: [] });
  }
}

async function read(method: string, path: string, body?: object) {
  const answered = await send(host, method, path, body, account);
  expect(answered.status).toBe(200);
  return answered.body;
}

async function download(path: string) {
  const answered = await host.request(path, account);
  return readCsv(Buffer.from(await answered.arrayBuffer()).toString()).rows;
}

/** All totals shown for the account’s only code. */
async function readEverything(id: string) {
  const { stats } = getOverview.response.parse(await read('GET', '/api/dashboard/overview')).data;
  const list = listCodes.response.parse(await read('GET', '/api/qrcodes')).data;
  const page = getCodeVisits.response.parse(await read('GET', `/api/qrcodes/${id}/visits`)).data;
  const [inCodesFile] = await download('/api/qrcodes/codes.csv');
  return {
    dashboard: [stats.figures.scans.value, stats.figures.clicks.value],
    list: list.map(({ visits }) => visits.total),
    page: [page.total, page.scans, page.clicks, page.others],
    codesFile: [inCodesFile?.visits, inCodesFile?.scans, inCodesFile?.clicks, inCodesFile?.others],
  };
}

async function readDay(code?: string) {
  const day = { from: '2026-03-02', to: '2026-03-02', ...(code && { code }) };
  const { figures, mostActive, trend, devices } = getStatistics.response.parse(
    await read('POST', '/api/qrcodes/stats', day),
  ).data;
  const [inFile] = await download(`/api/qrcodes/stats/daily.csv?${new URLSearchParams(day)}`);
  const names = [
    ...(['visits', 'scans', 'clicks', 'bots', 'previews', 'owner', 'unique_visitors'] as const),
    ...(['distinct_engagements', 'engagements'] as const),
  ];
  return {
    figures: names.map((name) => figures[name].value),
    file: names.map((name) => Number(inFile?.[name])),
    trend: trend.days.map(({ scans, clicks }) => [scans, clicks]),
    devices: devices.values.map(({ visits }) => visits),
    mostActive: mostActive.codes.map(({ visits }) => visits),
  };
}

function visit(path: string, address: string) {
  return host.request(path, { headers: { 'x-client-ip': address } });
}

test('a counter can exceed 32 bits wherever it is read, and does not block other visits', async () => {
  const code = await host.code(account.id, { type: 'text', content: 'a text' });
  async function visitInEveryWay(address: string) {
    await visit(`/r/${code.slug}`, address);
    await visit(`/l/${code.slug}`, address);
    for (const kind of ['bot', 'preview', 'owner'] as const) {
      await host.recorder.record(visitOf(code.id, '2026-03-02T10:00:00Z', { class: kind }));
    }
    await host.recorder.idle();
    const headers = { 'x-client-ip': address, accept: 'application/json' };
    await host.request(`/e/${code.slug}/copy`, { method: 'POST', headers });
  }
  await visitInEveryWay('192.0.2.1');
  await fillCounters();
  const live = createLiveOwners(host.db);
  await live.withNewFigures([account.id]);

  const other = await host.account();
  const neighbour = await host.code(other.id);
  await Promise.all([
    host.recorder.record(visitOf(neighbour.id, '2026-03-02T10:00:00Z')),
    visitInEveryWay('192.0.2.2'),
  ]);
  const both = [account.id, other.id];
  expect(await live.withNewFigures(both)).toEqual(new Set(both));
  expect(await readEverything(code.id)).toEqual({
    dashboard: [2 ** 31, 2 ** 31],
    list: [2 ** 32],
    page: [2 ** 32, 2 ** 31, 2 ** 31, 2 ** 31 + 2],
    codesFile: ['4294967296', '2147483648', '2147483648', '2147483650'],
  });
  const ofAccount = await readDay();
  const figures = [2 ** 32, ...Array.from({ length: 8 }, () => 2 ** 31)];
  expect(ofAccount).toEqual({
    figures,
    file: figures,
    trend: [[2 ** 31, 2 ** 31]],
    devices: [2 ** 31 + 1],
    mostActive: [2 ** 32],
  });
  const ofCode = await readDay(code.id);
  // A code’s visitors are stored per source and class, so five counters were at the maximum.
  const figuresOfCode = figures.with(6, 5 * MAX + 1);
  expect(ofCode).toEqual({
    figures: figuresOfCode,
    file: figuresOfCode,
    trend: ofAccount.trend,
    devices: [2 ** 32],
    mostActive: [],
  });

  host.clock.set(new Date('2026-03-03T10:00:00Z'));
  await visit(`/r/${code.slug}`, '192.0.2.1');
  await foldOldDays(host.db, host.clock.now());
  expect(await readDay()).toEqual(ofAccount);
  expect(await readDay(code.id)).toEqual(ofCode);
  expect((await readEverything(code.id)).page).toEqual([2 ** 32 + 1, 2 ** 31 + 1, 2 ** 31, 2 ** 31 + 2]);
});
