import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { deliverEvents, emit, nextDeliveryAt, signBody, verifyBody } from '#host/payment-sandbox/events';
import { openStandaloneSandbox, SECRET, type StandaloneSandbox } from './standalone-sandbox';

let sandbox: StandaloneSandbox;

beforeAll(async () => {
  sandbox = await openStandaloneSandbox();
});
beforeEach(() => sandbox.provider.deliver?.(sandbox.clock.now()));
afterAll(() => sandbox.close());

const tell = (objectId: string) => {
  const { db, clock } = sandbox;
  return emit(
    db.orm,
    (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    'customer.updated',
    objectId,
    clock.now(),
  );
};
const deliver = (post: (body: string) => Promise<number>) =>
  deliverEvents(sandbox.db.orm, post, sandbox.log, sandbox.clock.now());

test.each([
  ['no header', () => undefined],
  ['no time', (good: string) => good.replace(/t=\d+,/, '')],
  ['a time that is no whole number', (good: string) => good.replace(/t=\d+/, 't=1.5')],
  ['a time in words', (good: string) => good.replace(/t=\d+/, 't=now')],
  ['nothing but a time', (good: string) => good.replace(/,v1=.*/, '')],
  ['a signature of another version', (good: string) => good.replace('v1=', 'v2=')],
])('a webhook with %s has no signature', (_, change) => {
  const now = sandbox.clock.now();
  const header = change(signBody('body', SECRET, now));
  expect(() => verifyBody('body', header, [SECRET], now)).toThrow('no signature');
});

test.each([
  ['another body', 'other body', SECRET],
  ['another secret', 'body', 'another secret'],
])('a signature over %s is wrong', (_, body, secret) => {
  const now = sandbox.clock.now();
  expect(() => verifyBody('body', signBody(body, secret, now), [SECRET], now)).toThrow('wrong signature');
});

test.each([-300, 300])(
  'a signature by any of several secrets is valid at %i seconds, not beyond',
  (seconds) => {
    const now = sandbox.clock.now();
    const header = `${signBody('body', 'older secret', now)},v1=00`;
    const at = (ms: number) => new Date(now.getTime() + ms);
    const verifyAt = (time: Date) => () => verifyBody('body', header, [SECRET, 'older secret'], time);
    expect(verifyAt(at(seconds * 1000))).not.toThrow();
    const reversed = header.split(',').reverse().join(',');
    expect(() => verifyBody('body', reversed, ['older secret'], now)).not.toThrow();
    expect(verifyAt(at(seconds * 1000 + Math.sign(seconds)))).toThrow('too old');
  },
);

test('a webhook is understood if it is signed and says what changed, and refused otherwise', async () => {
  const read = (body: string, secret = SECRET) => {
    const signature = signBody(body, secret, sandbox.clock.now());
    return sandbox.provider.readEvent(body, (name) => (name === 'sandbox-signature' ? signature : undefined));
  };
  const event = (type: string) => JSON.stringify({ id: 'evt_1', type, data: { object: { id: 're_1' } } });
  const understood = { id: 'evt_1', type: 'refund.updated', object: 'refund', objectId: 're_1' };
  expect(await read(event('refund.updated'))).toEqual(understood);
  expect(await read(event('refund.updated'), 'an older secret')).toEqual(understood);
  await expect(read(event('refund.updated'), 'a stranger’s secret')).rejects.toThrow('wrong signature');
  for (const body of ['not JSON', 'null', '{}', event('account.emptied')])
    await expect(read(body)).rejects.toThrow('unknown format');
});

test('a webhook that is never accepted is retried for about three days, then given up', async () => {
  const { db, clock } = sandbox;
  await tell('cus_unheard');
  const start = clock.now().getTime();
  const minutes: number[] = [];
  const nextAt = () => nextDeliveryAt(db.orm, new Date(start + 30 * DAY_MS));
  for (let next = await nextAt(); next && minutes.length < 20; next = await nextAt()) {
    clock.set(next);
    await deliver(async () => {
      minutes.push((clock.now().getTime() - start) / 60_000);
      return 503;
    });
  }
  expect(minutes.slice(0, 5)).toEqual([0, 1, 6, 36, 156]);
  expect(minutes).toHaveLength(12);
  expect(minutes.at(-1)).toBeGreaterThan(2.5 * 24 * 60);
  expect(minutes.at(-1)).toBeLessThan(3.5 * 24 * 60);
});

test.each([
  [199, 2],
  [200, 1],
  [299, 1],
  [300, 2],
])('a webhook answered with %i is sent %i times within a minute', async (status, times) => {
  await tell('cus_answered');
  const created = sandbox.clock.now().getTime() / 1000;
  const bodies: string[] = [];
  const post = async (body: string) => {
    bodies.push(body);
    return bodies.length > 1 ? 200 : status;
  };
  await deliver(post);
  sandbox.clock.advance(59_000);
  await deliver(post);
  expect(bodies).toHaveLength(1);
  sandbox.clock.advance(1000);
  await deliver(post);
  sandbox.clock.advance(DAY_MS);
  await deliver(post);
  expect(bodies).toHaveLength(times);
  const sent = { type: 'customer.updated', created, data: { object: { id: 'cus_answered' } } };
  for (const body of bodies) expect(JSON.parse(body)).toMatchObject(sent);
});

test('all due webhooks are sent at once, even after one that does not arrive', async () => {
  for (let turn = 0; turn < 25; turn += 1) await tell(`cus_${turn}`);
  const sent = new Set<string>();
  let isDown = true;
  const post = async (body: string) => {
    if (isDown) {
      isDown = false;
      throw new Error('not reached');
    }
    sent.add(body);
    return 200;
  };
  await deliver(post);
  expect(sent.size).toBe(24);
  sandbox.clock.advance(60_000);
  await deliver(post);
  expect(sent.size).toBe(25);
});

test('a webhook is signed with the newest secret, and once accepted it is not sent again', async () => {
  const { provider, received, clock, db } = sandbox;
  await tell('cus_told');
  received.length = 0;
  await provider.deliver?.(clock.now());
  expect(received).toMatchObject([{ type: 'customer.updated', objectId: 'cus_told' }]);
  const { body = '', signature } = received[0] ?? {};
  expect(() => verifyBody(body, signature, [SECRET], clock.now())).not.toThrow();
  expect(await nextDeliveryAt(db.orm, new Date('2099-01-01'))).toBeNull();
});

test('a program that serves no pages leaves the webhooks to the host', async () => {
  const { provider, detached, received, clock } = sandbox;
  await tell('cus_left');
  received.length = 0;
  await detached.deliver?.(clock.now());
  expect(received).toEqual([]);
  await provider.deliver?.(clock.now());
  expect(received).toMatchObject([{ objectId: 'cus_left' }]);
});
