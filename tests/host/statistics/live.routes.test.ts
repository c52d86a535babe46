import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '#host/app';
import { openServer } from '#host/db/client';
import { createLiveFigures } from '#host/statistics/live';
import { createFreshDatabase } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readEvents } from './events';

const PATH = '/api/qrcodes/stats/stream';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

async function listen(path = PATH, { token } = account) {
  const answered = await host.request(path, { token });
  expect(answered.status).toBe(200);
  const events = readEvents(answered.body);
  expect((await events.next())?.name).toBe('ready');
  return events;
}

test('an open page is notified within a second of a scan, and only of its own codes', async () => {
  const other = await host.account();
  const [own, foreign] = [await host.code(account.id), await host.code(other.id)];
  const events = await listen();
  await host.request(`/r/${foreign.slug}`);
  await host.request(`/r/${own.slug}`);
  const scannedAt = performance.now();
  expect(await events.next()).toEqual({
    name: 'visits',
    data: JSON.stringify({ at: host.clock.now().toISOString() }),
  });
  expect(performance.now() - scannedAt).toBeLessThan(1_000);
  // The time of the next event shows that nothing was sent for the foreign code before.
  host.clock.advance(1_000);
  await host.request(`/r/${own.slug}`);
  expect((await events.next())?.data).toContain(host.clock.now().toISOString());
  await events.leave();
});

test('the page of one code is notified of that code only', async () => {
  const [shown, hidden] = [await host.code(account.id), await host.code(account.id)];
  const [one, all] = [await listen(`${PATH}?code=${shown.id}`), await listen()];
  await host.request(`/r/${hidden.slug}`);
  expect((await all.next())?.name).toBe('visits');
  host.clock.advance(1_000);
  await host.request(`/r/${shown.slug}`);
  expect((await one.next())?.data).toContain(host.clock.now().toISOString());
  await Promise.all([one.leave(), all.leave()]);
});

test('after a notification without codes, the figures of the accounts are compared', async () => {
  const events = await listen();
  const tellOfMany = () => host.db.query({ name: '', text: `select pg_notify('visits', '*')`, values: [] });
  await tellOfMany();
  expect((await events.next())?.name).toBe('visits');
  const code = await host.code(account.id);
  host.clock.advance(1_000);
  await tellOfMany();
  await host.request(`/r/${code.slug}`);
  expect((await events.next())?.data).toContain(host.clock.now().toISOString());
  await events.leave();
});

test('a sixth open page of an account is refused until another one is closed', async () => {
  const owner = await host.account();
  const pages = [];
  for (let page = 0; page < 5; page += 1) pages.push(await listen(PATH, owner));
  const refused = await host.request(PATH, { token: owner.token });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  await pages[0]?.leave();
  pages.push(await listen(PATH, owner));
  await Promise.all(pages.map((page) => page.leave()));
});

test('another account’s code gets 404, and an invalid id 422', async () => {
  const foreign = await host.code((await host.account()).id);
  const statuses = await Promise.all(
    [foreign.id, 'nonsense'].map(async (code) => {
      const answered = await host.request(`${PATH}?code=${code}`, account);
      return answered.status;
    }),
  );
  expect(statuses).toEqual([404, 422]);
});

test('HEAD returns the headers of a stream and opens none', async () => {
  const owner = await host.account();
  for (let turn = 0; turn < 6; turn += 1) {
    const answered = await host.request(PATH, { method: 'HEAD', token: owner.token });
    expect([answered.status, answered.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(answered.headers.get('cache-control')).toBe('no-store');
  }
});

test('heartbeats keep the stream open, and end it with the session or the subscription', async () => {
  const live = createLiveFigures(host.deps, 20);
  const app = createApp(host.deps, host.recorder, live);
  const [loggedOut, lapsed, kept] = [await host.account(), await host.account(), await host.account()];
  const pages = await Promise.all(
    [loggedOut, lapsed, kept].map(async ({ token }) => {
      const answered = await app.request(PATH, { headers: { authorization: `Bearer ${token}` } });
      const events = readEvents(answered.body);
      expect((await events.next())?.name).toBe('ready');
      expect(await events.next()).toEqual({ name: '', data: '' });
      return events;
    }),
  );
  const [first, second, third] = pages;
  await host.request('/api/account/logout', { method: 'POST', token: loggedOut.token });
  await expect.poll(() => first?.next()).toBeNull();
  await host.db.query({
    name: '',
    text: `update subscriptions set access_until = '2020-01-01' where account_id = $1`,
    values: [lapsed.id],
  });
  await expect.poll(() => second?.next()).toBeNull();
  expect(await third?.next()).toEqual({ name: '', data: '' });
  live.close();
  await expect.poll(() => third?.next()).toBeNull();
  expect((await app.request(PATH, { headers: { authorization: `Bearer ${kept.token}` } })).status).toBe(503);
});

test('a page at one node is notified of a scan at another', async () => {
  const { url, drop } = await createFreshDatabase();
  const open = () => openServer(url, () => undefined);
  const [here, there] = [await createTestHost({ db: open() }), await createTestHost({ db: open() })];
  const account = await here.account();
  const code = await here.code(account.id);
  const answered = await here.request(PATH, { token: account.token });
  const events = readEvents(answered.body);
  await events.next();
  await there.request(`/r/${code.slug}`);
  expect((await events.next())?.name).toBe('visits');
  await events.leave();
  await Promise.all([here.close(), there.close()]);
  await drop();
});
