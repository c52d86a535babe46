import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLiveOwners } from '#host/statistics/live';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('codes are mapped to their accounts, and unknown codes to none', async () => {
  const owners = createLiveOwners(host.db);
  const [one, other] = [await host.account(), await host.account()];
  const codes = [await host.code(one.id), await host.code(one.id), await host.code(other.id)];
  const ids = codes.map(({ id }) => id);
  expect(await owners.ofCodes(ids)).toEqual(new Set([one.id, other.id]));
  expect(await owners.ofCodes(ids.slice(0, 2))).toEqual(new Set([one.id]));
  expect(await owners.ofCodes(['00000000-0000-4000-8000-000000000000'])).toEqual(new Set());
});

test('accounts are returned whose figures changed since the previous call', async () => {
  const owners = createLiveOwners(host.db);
  const [busy, calm] = [await host.account(), await host.account()];
  const code = await host.code(busy.id);
  const both = [busy.id, calm.id];
  expect(await owners.withNewFigures(both)).toEqual(new Set(both));
  expect(await owners.withNewFigures(both)).toEqual(new Set());
  await host.request(`/r/${code.slug}`);
  expect(await owners.withNewFigures(both)).toEqual(new Set([busy.id]));
  expect(await owners.withNewFigures(both)).toEqual(new Set());
  await host.db.query({
    name: '',
    text: `insert into account_days (account_id, day, engagements) values ($1, '2026-03-02', 1)`,
    values: [calm.id],
  });
  expect(await owners.withNewFigures(both)).toEqual(new Set([calm.id]));
});
