import { sql } from 'drizzle-orm';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time';
import { changeCode } from '#host/codes/code/change';
import { isPublicIp } from '#host/http/public-addresses';
import { createPublicRequest } from '#host/http/public-request';
import { claimDelivery, dropOldDeliveries } from '#host/webhooks/deliveries';
import { createWebhookWorker } from '#host/webhooks/worker';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { Receivers, verified, webhookCalls } from './receivers';

const A = 'https://hooks.program.com/a';
const B = 'https://hooks.program.com/b';
const receivers = new Receivers();
let host: TestHost;
let account: TestAccount;
const { call, make, read, log, deliver } = webhookCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost({ requestPublic: receivers.requestPublic });
});
afterAll(() => host.close());
beforeEach(async () => {
  // Its signatures are compared with the clock of the machine.
  host.clock.set(new Date());
  await host.db.orm.execute(sql`delete from webhooks`);
  receivers.clear();
  account = await host.account();
});

const rename = (id: string, name: string) =>
  changeCode(host.db.orm, { accountId: account.id, id }, { name }, host.clock.now());

/** Without those that tell of a new webhook. */
async function mailsTo({ email }: TestAccount) {
  const mails = (await host.mails()).filter(({ to }) => to === email);
  return mails.filter(({ subject }) => subject !== 'A webhook was added to your account');
}

describe('a message', () => {
  test('is signed as the library of Standard Webhooks verifies it, and tells of the code as the API does', async () => {
    const { secret } = await make();
    const { id } = await host.code(account.id, { name: 'Menu' });
    await deliver();
    const [message] = receivers.received;
    if (!message) throw new Error('nothing was sent');
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(message.headers).toMatchObject({
      'Content-Type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      'User-Agent': expect.stringMatching(/^QuadrilleWebhooks\/1\.0 /),
    });
    const { type, timestamp, data } = verified(message, secret);
    const response = await host.request(`/api/qrcodes/${id}`, { token: account.token });
    const { code } = ((await response.json()) as { data: { code: object } }).data;
    expect({ type, data }).toEqual({ type: 'code.created', data: { code } });
    expect(Date.parse(timestamp)).toBe(host.clock.now().getTime());
    expect(() => verified({ ...message, body: message.body.replace('Menu', 'Many') }, secret)).toThrow();
    expect(() => verified(message, `whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow();
  });

  test('has the signature of the published vector', () => {
    const verifier = new Verifier('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const signature = verifier.sign(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1_614_265_330_000),
      '{"test": 2432232314}',
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('is signed with both secrets for a day after a rotation', async () => {
    const before = await make();
    const proof = { currentPassword: account.password };
    const rotated = await call('POST', `/${before.id}/rotate`, proof);
    const after = rotated.body.data as typeof before;
    expect(after.secret).not.toBe(before.secret);
    expect(after.earlierSecretUntil).toBe(new Date(host.clock.now().getTime() + DAY_MS).toISOString());
    expect((await call('POST', `/${before.id}/rotate`, proof)).status).toBe(409);
    await host.code(account.id);
    await deliver();
    const [message] = receivers.received;
    expect(message?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const { secret } of [before, after])
      expect(message && verified(message, secret).type).toBe('code.created');
    host.clock.advance(DAY_MS);
    await host.code(account.id);
    await deliver();
    expect(receivers.received[1]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]+=$/);
    expect((await read(before.id)).earlierSecretUntil).toBeNull();
  });
});

describe('messages about one code', () => {
  test('come in order, and those after one that fails wait for it', async () => {
    await make();
    receivers.answers[A] = 500;
    const { id } = await host.code(account.id, { name: 'one' });
    await rename(id, 'two');
    await host.code(account.id, { name: 'other' });
    await deliver();
    expect(receivers.typesAt(A).sort()).toEqual(['code.created one', 'code.created other']);
    receivers.clear();
    host.clock.advance(3_000);
    await rename(id, 'three');
    await deliver();
    expect(receivers.received).toEqual([]);
    host.clock.advance(3_000);
    await deliver();
    expect(receivers.typesAt(A).filter((type) => !type.endsWith('other'))).toEqual([
      'code.created one',
      'code.updated two',
      'code.updated three',
    ]);
  });

  test('come in order however many hosts send them', async () => {
    await make();
    const { id } = await host.code(account.id, { name: '0' });
    for (let change = 1; change <= 12; change += 1) await rename(id, String(change));
    await Promise.all([deliver(), deliver(), deliver()]);
    await deliver();
    expect(receivers.typesAt(A)).toEqual([
      'code.created 0',
      ...Array.from({ length: 12 }, (_, index) => `code.updated ${index + 1}`),
    ]);
  });
});

test('a message whose host died is sent again when its claim has run out, with the same id', async () => {
  const { id } = await make();
  await host.code(account.id);
  const claimed = await claimDelivery(
    host.db.orm,
    { webhooks: [], accounts: [], takesSlow: true },
    { now: host.clock.now(), seconds: 45 },
  );
  expect(claimed?.webhookId).toBe(id);
  await deliver();
  expect(receivers.received).toEqual([]);
  await host.db.orm.execute(sql`update webhook_deliveries set claimed_until = now() - interval '1 second'`);
  await deliver();
  const [sent] = await log(id);
  expect(receivers.received.map(({ headers }) => headers['webhook-id'])).toEqual([sent?.messageId]);
  expect(sent).toMatchObject({ status: 'delivered', failures: 0, lastAttempt: { response: 204 } });
});

test('a message is written with what it tells of, or not at all', async () => {
  const { id } = await make();
  const code = await host.code(account.id);
  const undone = host.db.orm.transaction(async (orm) => {
    const own = { accountId: account.id, id: code.id };
    expect(await changeCode(orm, own, { name: 'never' }, host.clock.now())).toBe(true);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await log(id)).map(({ type }) => type)).toEqual(['code.created']);
});

test('a host that stops gives back what it is sending', async () => {
  const { id } = await make();
  const stopping = new AbortController();
  receivers.answers[A] = () => new Promise(() => setTimeout(() => stopping.abort(), 20));
  await host.code(account.id);
  await createWebhookWorker(host.deps)(stopping.signal);
  expect(await log(id)).toMatchObject([{ status: 'waiting', failures: 0, lastAttempt: null }]);
  receivers.clear();
  await deliver();
  expect(await log(id)).toMatchObject([{ status: 'delivered' }]);
});

describe('a program that fails', () => {
  test('is asked ten times in three days; then its webhook is off, and its owner is told', async () => {
    const { id } = await make();
    const code = await host.code(account.id);
    receivers.answers[A] = 503;
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      await deliver();
      expect(receivers.received).toHaveLength(attempts);
      const [{ nextAt } = { nextAt: null }] = await log(id);
      if (!nextAt) break;
      waits.push((Date.parse(nextAt) - host.clock.now().getTime()) / 1_000);
      host.clock.set(new Date(Date.parse(nextAt) - 1));
      await deliver();
      host.clock.advance(1);
    }
    const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(waits).toHaveLength(planned.length);
    for (const [index, seconds] of planned.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds);
      expect(waits[index]).toBeLessThanOrEqual(seconds * 1.1);
    }
    expect(await read(id)).toMatchObject({ enabled: false, offReason: 'failed' });
    expect(await log(id)).toMatchObject([{ status: 'failed', failures: 10, nextAt: null }]);
    expect(new Set(receivers.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receivers.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(10);
    const [mail, ...others] = await mailsTo(account);
    expect(mail?.subject).toBe('A webhook was switched off: it accepts no messages');
    expect(mail?.text).toContain(A);
    expect(mail?.text).toContain(`/user/settings/webhooks/${id}`);
    expect(others).toEqual([]);
    await rename(code.id, 'after');
    await deliver();
    expect(receivers.received).toHaveLength(10);
  });

  test('with 410 switches it off at once, with all that waits', async () => {
    const { id } = await make();
    receivers.answers[A] = 410;
    const code = await host.code(account.id);
    await rename(code.id, 'two');
    await deliver();
    expect(receivers.received).toHaveLength(1);
    expect(await read(id)).toMatchObject({ enabled: false, offReason: 'gone' });
    expect((await log(id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect((await mailsTo(account)).map(({ subject }) => subject)).toEqual([
      'A webhook was switched off by its program',
    ]);
  });

  test.each([
    ['seconds', () => '1200', 20 * MINUTE_MS],
    ['a date', () => new Date(host.clock.now().getTime() + HOUR_MS).toUTCString(), HOUR_MS],
    ['more than a day', () => '9999999', DAY_MS],
    ['nonsense', () => 'soon', 5_000],
    ['the past', () => new Date(0).toUTCString(), 5_000],
  ])('is left alone for as long as Retry-After says: %s', async (_, header, wait) => {
    const { id } = await make();
    await host.code(account.id, { name: 'first' });
    receivers.answers[A] = { status: 429, headers: { 'retry-after': header() } };
    await deliver();
    const [{ nextAt } = { nextAt: null }] = await log(id);
    const waited = Date.parse(nextAt ?? '') - host.clock.now().getTime();
    expect(waited).toBeGreaterThan(wait - 1_000);
    expect(waited).toBeLessThanOrEqual(wait * 1.1);
  });

  test('with Retry-After gets nothing else meanwhile either', async () => {
    await make();
    for (let index = 0; index < 3; index += 1) await host.code(account.id);
    receivers.answers[A] = { status: 503, headers: { 'retry-after': '60' } };
    await deliver();
    // Two were on their way already.
    expect(receivers.received.length).toBeLessThanOrEqual(2);
    receivers.answers[A] = 204;
    host.clock.advance(70_000);
    await deliver();
    expect(new Set(receivers.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  test.each(['refused', 'dns', 'tls', 'timeout', 'unreachable', 'unsure'] as const)(
    'to answer because of %s is tried again, and the log says why',
    async (failure) => {
      const { id } = await make();
      receivers.answers[A] = failure;
      await host.code(account.id);
      await deliver();
      expect(await log(id)).toMatchObject([
        { status: 'waiting', failures: 1, lastAttempt: { response: null, problem: failure } },
      ]);
    },
  );

  test('by redirecting is not followed', async () => {
    const { id } = await make();
    receivers.answers[A] = { status: 307, headers: { location: B }, body: 'see\u0000 there' };
    await host.code(account.id);
    await deliver();
    expect(receivers.at(B)).toEqual([]);
    expect(await log(id)).toMatchObject([
      { status: 'waiting', lastAttempt: { response: 307, excerpt: 'see there' } },
    ]);
  });
});

test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:192.168.0.1', 'fd00::1'])(
  'a name that leads to %s by the time of sending gets nothing',
  async (ip) => {
    const { id } = await make();
    await host.code(account.id);
    const requestPublic = createPublicRequest({
      resolve: async () => [ip, '93.184.216.34'],
      isPublic: isPublicIp,
    });
    await createWebhookWorker({ ...host.deps, requestPublic })();
    expect(await log(id)).toMatchObject([
      { status: 'waiting', lastAttempt: { response: null, problem: 'refused', excerpt: '' } },
    ]);
  },
);

test('what is sent by hand goes out once, even while the webhook is off, and does not switch it off', async () => {
  const { id, secret } = await make();
  await host.code(account.id, { name: 'Menu' });
  await deliver();
  const [first] = await log(id);
  await call('PATCH', `/${id}`, { enabled: false });
  const again = await call('POST', `/${id}/deliveries/${first?.id}/resend`);
  expect(again.body.data).toMatchObject({ manual: true, messageId: first?.messageId, body: first?.body });
  await call('POST', `/${id}/test`);
  receivers.answers[A] = 500;
  await deliver();
  // Both are under way at the same time, in any order.
  const sent = receivers.received.slice(1).map((one) => verified(one, secret).type);
  expect(sent.sort()).toEqual(['code.created', 'test']);
  host.clock.advance(DAY_MS);
  await deliver();
  expect(receivers.received).toHaveLength(3);
  expect(await read(id)).toMatchObject({ enabled: false, offReason: 'owner' });
  expect((await log(id)).map(({ status }) => status)).toEqual(['failed', 'failed', 'delivered']);
  expect(await mailsTo(account)).toEqual([]);
});

test.each([
  ['and is looked at before', true],
  ['and is not looked at before', false],
])('a message written while its webhook is switched off %s it is on again is given up', async (_, isSeen) => {
  const { id } = await make();
  const code = await host.code(account.id, { name: 'one' });
  await deliver();
  await host.db.orm.transaction(async (transaction) => {
    const own = { accountId: account.id, id: code.id };
    await changeCode(transaction, own, { name: 'two' }, host.clock.now());
    await call('PATCH', `/${id}`, { enabled: false });
  });
  if (isSeen) {
    await deliver();
    expect(await log(id)).toMatchObject([{ status: 'failed', failures: 0 }, { status: 'delivered' }]);
    host.clock.advance(HOUR_MS);
    await host.db.orm.execute(sql`update webhook_deliveries set claimed_until = null`);
  }
  await call('PATCH', `/${id}`, { enabled: true });
  await rename(code.id, 'three');
  await deliver();
  expect(receivers.typesAt(A)).toEqual(['code.created one', 'code.updated three']);
});

test('the log keeps 30 days', async () => {
  const { id } = await make();
  await host.code(account.id);
  await deliver();
  await dropOldDeliveries(host.db.orm, new Date(host.clock.now().getTime() + 29 * DAY_MS));
  expect(await log(id)).toHaveLength(1);
  await dropOldDeliveries(host.db.orm, new Date(host.clock.now().getTime() + 31 * DAY_MS));
  expect(await log(id)).toEqual([]);
});
