import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareStatistics, getStatistics } from '#contract/statistics';
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

const ask = (columns: object[], by = account) =>
  send(host, 'POST', '/api/qrcodes/stats/compare', { columns }, by);

test('each column has the figures that its filter has alone, in the order of the filters', async () => {
  const [first, second] = [await host.code(account.id), await host.code(account.id, { tags: ['wine'] })];
  await host.recorder.record(visitOf(first.id, '2026-03-01T09:00:00Z', { clientIp: '198.51.100.1' }));
  await host.recorder.record(visitOf(second.id, '2026-02-20T09:00:00Z', { clientIp: '198.51.100.2' }));
  await host.recorder.record(visitOf(second.id, '2026-03-01T09:00:00Z', { clientIp: '198.51.100.2' }));
  await host.recorder.idle();
  const filters = [
    { code: first.id, period: 7 },
    { tag: 'Wine', period: 30 },
    { from: '2026-02-20', to: '2026-02-20' },
    { code: second.id, period: 7 },
  ];
  const answered = await ask(filters);
  const { columns } = compareStatistics.response.parse(answered.body).data;
  expect(columns.map(({ figures }) => figures.visits.value)).toEqual([1, 2, 1, 1]);
  const alone = await Promise.all(
    filters.map(async (filter) => {
      const one = await send(host, 'POST', '/api/qrcodes/stats', filter, account);
      return getStatistics.response.parse(one.body).data;
    }),
  );
  expect(columns).toEqual(alone);
});

test('two to four columns are compared', async () => {
  expect((await ask([{}])).status).toBe(422);
  expect((await ask([{}, {}])).status).toBe(200);
  expect((await ask([{}, {}, {}, {}])).status).toBe(200);
  expect((await ask([{}, {}, {}, {}, {}])).status).toBe(422);
  expect((await ask([{}, { from: '2026-02-02', to: '2026-02-01' }])).status).toBe(422);
});

test('a code of another account or an unknown tag among the columns is not found', async () => {
  const own = await host.code(account.id);
  const stranger = await host.account();
  expect((await ask([{}, { code: own.id }], stranger)).status).toBe(404);
  expect((await ask([{}, { tag: 'nobody has it' }])).status).toBe(404);
});
