import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '#contract/time';
import { webhooks } from '#host/db/webhooks.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { Receivers, webhookCalls } from './receivers';

const A = 'https://hooks.program.com/a';
const B = 'https://hooks.program.com/b';
const receivers = new Receivers();
let host: TestHost;
let account: TestAccount;
const { make, deliver } = webhookCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost({ requestPublic: receivers.requestPublic });
});
afterAll(() => host.close());
beforeEach(async () => {
  await host.db.orm.execute(sql`delete from webhooks`);
  receivers.clear();
  account = await host.account();
});

test('a slow program delays no other, whose messages come while it is waited for', async () => {
  await make();
  let answer = () => {};
  receivers.answers[A] = () =>
    new Promise((resolve) => {
      answer = () => resolve(204);
    });
  await host.code(account.id, { name: 'slow' });
  const working = deliver();
  await expect.poll(() => receivers.at(A).length).toBe(1);
  const other = await host.account();
  const { make: makeOther } = webhookCalls(() => ({ host, account: other }));
  await makeOther({ url: B });
  for (let index = 0; index < 5; index += 1) await host.code(other.id, { name: 'quick' });
  await expect.poll(() => receivers.at(B).length, { timeout: 3_000 }).toBe(5);
  answer();
  await working;
});

test('one webhook gets two messages at a time, one account six', async () => {
  for (const path of ['1', '2', '3', '4']) {
    await make({ url: `${A}${path}` });
    receivers.answers[`${A}${path}`] = () => new Promise((resolve) => setTimeout(() => resolve(204), 400));
  }
  for (let index = 0; index < 4; index += 1) await host.code(account.id);
  const working = deliver();
  await expect.poll(() => receivers.received.length).toBe(6);
  for (const path of ['1', '2', '3', '4']) expect(receivers.at(`${A}${path}`).length).toBeLessThanOrEqual(2);
  await working;
  expect(receivers.received).toHaveLength(16);
});

describe('a slow program', () => {
  const areSlow = async () => {
    const rows = await host.db.orm.select({ isSlow: webhooks.isSlow }).from(webhooks);
    return rows.map(({ isSlow }) => isSlow);
  };

  test.each([
    ['that fails at once', 500, 0, true],
    ['that takes three seconds', 204, 3_000, false],
    ['that takes longer', 204, 3_001, true],
  ])('is one %s, until it is quick again', async (_, status, ms, isSlow) => {
    let elapsed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
    await make();
    receivers.answers[A] = async () => {
      elapsed += ms;
      return status;
    };
    await host.code(account.id);
    await deliver();
    expect(await areSlow()).toEqual([isSlow]);
    receivers.answers[A] = 204;
    await host.code(account.id);
    await deliver();
    expect(await areSlow()).toEqual([false]);
  });

  test('has to share half of the places with all others that are slow', async () => {
    const urls = ['1', '2', '3'].flatMap((owner) => ['a', 'b', 'c'].map((path) => `${A}${owner}${path}`));
    for (const owner of ['1', '2', '3']) {
      account = await host.account();
      for (const url of urls.filter((one) => one.startsWith(`${A}${owner}`))) {
        receivers.answers[url] = 500;
        await make({ url });
      }
      await host.code(account.id);
      await host.code(account.id);
    }
    await deliver();
    expect(await areSlow()).toEqual(urls.map(() => true));
    receivers.clear();
    let answer = () => {};
    const answered = new Promise<number>((resolve) => {
      answer = () => resolve(204);
    });
    for (const url of urls) receivers.answers[url] = () => answered;
    host.clock.advance(MINUTE_MS);
    const working = deliver();
    await expect.poll(() => receivers.received.length).toBe(12);
    account = await host.account();
    await make({ url: B });
    await host.code(account.id);
    await expect.poll(() => receivers.at(B).length).toBe(1);
    expect(receivers.received).toHaveLength(13);
    answer();
    await working;
    expect(receivers.received).toHaveLength(19);
  });
});
