import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import {
  countAccountAttempt,
  countDeviceAttempt,
  countNetworkAttempt,
  recordWrongPassword,
} from '#host/sign-in/guessing';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send, signInOf } from '../../support/json-calls';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
const CLEAN = '198.51.100.1';
const NETWORKS = Array.from({ length: 10 }, (_, network) => `203.0.113.${network + 1}`);
const NEW = 'seven green boats at dawn';
const NOBODY = { log: pino({ level: 'silent' }), clientIp: '', email: '' };

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(2 * DAY);
  account = await host.account();
});
afterAll(() => host.close());

interface From {
  clientIp?: string;
  devices?: string[];
  email?: string;
}

function signIn(password: string, { clientIp = CLEAN, devices, email = account.email }: From = {}) {
  const headers = { 'x-client-ip': clientIp };
  return send(host, 'POST', '/api/login_check', { email, password, devices }, { headers });
}

/** Ten networks use up their free attempts, and more wrong passwords come from elsewhere; without hashing them. */
async function attack() {
  const found = await findAccountByEmail(host.db.orm, account.email);
  const guess = { email: account.email, passwordHash: found?.passwordHash };
  await Promise.all(
    NETWORKS.map(async (clientIp) => {
      for (let free = 0; free < 5; free += 1)
        await countAccountAttempt(host.deps, { ...guess, clientIp }, { ...NOBODY, clientIp });
      for (let wrong = 0; wrong < 10; wrong += 1)
        await recordWrongPassword(host.deps, { ...guess, clientIp: '' });
    }),
  );
}

async function knownDevice() {
  const { body } = await signIn(account.password);
  return { token: body.token ?? '', device: body.device ?? '' };
}

const waitOf = (answer: { headers: Headers }) => Number(answer.headers.get('retry-after'));

async function isLetIn(from: From = {}, password = account.password) {
  return (await signIn(password, from)).status === 200;
}

test('the right password from a clean IP address signs in at once, whatever ten networks try', async () => {
  await attack();
  for (const clientIp of NETWORKS) expect(await isLetIn({ clientIp })).toBe(false);
  expect(await isLetIn()).toBe(true);
  expect(await isLetIn()).toBe(true);
});

test('during an attack, one typing mistake from a clean IP address costs a minute', async () => {
  await attack();
  expect((await signIn('a typing mistake')).status).toBe(401);
  const early = await signIn(account.password);
  expect([early.status, waitOf(early)]).toEqual([429, 60]);
  host.clock.advance(60 * SECOND);
  expect(await isLetIn()).toBe(true);
});

test('a hundred wrong passwords from unknown devices, over all networks, are an attack', async () => {
  for (let wrong = 0; wrong < 100; wrong += 1) {
    const clientIp = `198.18.${Math.floor(wrong / 5)}.1`;
    expect((await signIn('not the password', { clientIp })).status).toBe(401);
  }
  expect((await signIn('a typing mistake')).status).toBe(401);
  expect(waitOf(await signIn(account.password))).toBe(60);
});

test('a hundred wrong passwords from a known device are not', async () => {
  const { device } = await knownDevice();
  for (let wrong = 0; wrong < 100; wrong += 1) {
    host.clock.advance(300 * SECOND);
    expect((await signIn('not the password', { devices: [device] })).status).toBe(401);
  }
  expect((await signIn('a typing mistake')).status).toBe(401);
  expect(await isLetIn()).toBe(true);
});

test('delays double, are in seconds, and do not grow with early attempts', async () => {
  const clientIp = NETWORKS[0] ?? '';
  for (let free = 0; free < 5; free += 1) {
    expect((await signIn('not the password', { clientIp })).status).toBe(401);
  }
  for (const wait of [15, 30, 60, 120, 240, 480, 900, 900]) {
    for (let early = 0; early < 3; early += 1) {
      const refused = await signIn(account.password, { clientIp });
      expect([refused.status, refused.body.code, waitOf(refused)]).toEqual([429, 'rate_limited', wait]);
    }
    host.clock.advance(wait * SECOND);
    expect((await signIn('not the password', { clientIp })).status).toBe(401);
  }
  host.clock.advance(900 * SECOND);
  expect(await isLetIn({ clientIp })).toBe(true);
  expect(await isLetIn({ clientIp })).toBe(true);
});

test('no more concurrent attempts are checked than consecutive ones', async () => {
  const clientIp = NETWORKS[0] ?? '';
  const race = () => Promise.all(Array.from({ length: 8 }, () => signIn('not the password', { clientIp })));
  const judged = (answers: Awaited<ReturnType<typeof race>>) =>
    answers.filter(({ status }) => status === 401).length;
  expect(judged(await race())).toBe(5);
  host.clock.advance(15 * SECOND);
  expect(judged(await race())).toBe(1);
});

test('a known and an unknown address are slowed down alike', async () => {
  const outcomes = [];
  for (const email of [account.email, `nobody-${account.email}`]) {
    const seen = [];
    for (let turn = 0; turn < 9; turn += 1) {
      const { status, body, headers } = await signIn('not the password', { clientIp: NETWORKS[2], email });
      seen.push([status, body.message, headers.get('retry-after')]);
    }
    outcomes.push(seen);
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[0]?.at(-1)).toEqual([429, 'Too many attempts. Please wait a moment.', '15']);
});

test('a known device can sign in from an attacking network', async () => {
  const { device } = await knownDevice();
  await attack();
  for (const clientIp of NETWORKS) {
    expect((await signIn(account.password, { clientIp })).status).toBe(429);
    expect(await isLetIn({ clientIp, devices: [device] })).toBe(true);
  }
});

test('a known device is slowed down only by its own attempts', async () => {
  const { device } = await knownDevice();
  const other = await knownDevice();
  for (let free = 0; free < 20; free += 1) {
    expect((await signIn('not the password', { devices: [device] })).status).toBe(401);
  }
  const refused = await signIn(account.password, { devices: [device] });
  expect([refused.status, waitOf(refused)]).toEqual([429, 15]);
  expect(await isLetIn({ devices: [other.device] })).toBe(true);
  expect(await isLetIn()).toBe(true);
  host.clock.advance(15 * SECOND);
  expect(await isLetIn({ devices: [device] })).toBe(true);
});

test('a device is known only to its account, and a browser may be known to several', async () => {
  const { device } = await knownDevice();
  const [mine, theirs] = [account, await host.account()];
  account = theirs;
  await attack();
  const clientIp = NETWORKS[0] ?? '';
  expect((await signIn(theirs.password, { clientIp, devices: [device] })).status).toBe(429);
  expect((await signIn(theirs.password, { clientIp, devices: ['x'.repeat(43)] })).status).toBe(429);
  const both = [device, (await signIn(theirs.password, { devices: [device] })).body.device ?? ''];
  expect(new Set(both).size).toBe(2);
  expect(await isLetIn({ clientIp, devices: both })).toBe(true);
  account = mine;
  expect(await isLetIn({ clientIp, devices: both })).toBe(true);
});

test('a known device keeps its token, which does not sign in', async () => {
  const { device } = await knownDevice();
  expect((await signIn(account.password, { devices: [device] })).body.device).toBe(device);
  expect((await signIn('not the password', { devices: [device] })).status).toBe(401);
  const asToken = await send(host, 'GET', '/api/account/profile', undefined, { token: device });
  expect(asToken.status).toBe(401);
});

test('revoking another device makes it unknown again, and the current one stays known', async () => {
  const [here, lost, other] = [await knownDevice(), await knownDevice(), await knownDevice()];
  const { id = '' } = (await signInOf(host, lost.token)).sessions.find((one) => one.current) ?? {};
  await send(host, 'DELETE', `/api/account/sessions/${id}`, undefined, here);
  await attack();
  const isKnown = ({ device }: { device: string }) =>
    isLetIn({ clientIp: NETWORKS[0] ?? '', devices: [device] });
  expect([await isKnown(here), await isKnown(lost), await isKnown(other)]).toEqual([true, false, true]);
  await send(host, 'DELETE', '/api/account/sessions', undefined, here);
  expect([await isKnown(here), await isKnown(other)]).toEqual([true, false]);
});

test('signing out leaves the device known', async () => {
  const { token, device } = await knownDevice();
  await send(host, 'POST', '/api/account/logout', undefined, { token });
  await attack();
  expect(await isLetIn({ clientIp: NETWORKS[0] ?? '', devices: [device] })).toBe(true);
});

test('a reset clears all attempts and all devices', async () => {
  const { device } = await knownDevice();
  await attack();
  const clientIp = NETWORKS[0] ?? '';
  expect((await signIn(account.password, { clientIp })).status).toBe(429);
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const token = await mailedToken(host, account.email);
  const reset = { token, password: NEW, confirmPassword: NEW };
  expect((await send(host, 'POST', '/api/account/reset-password', reset)).status).toBe(200);
  for (let free = 0; free < 4; free += 1) {
    expect((await signIn('not the password', { clientIp })).status).toBe(401);
  }
  expect(await isLetIn({ clientIp }, NEW)).toBe(true);
  for (let own = 0; own < 5; own += 1) await signIn('not the password', { clientIp, devices: [device] });
  expect((await signIn(NEW, { clientIp, devices: [device] })).status).toBe(429);
});

test('a password change clears all attempts, and all devices except the one it was made on', async () => {
  const [here, other] = [await knownDevice(), await knownDevice()];
  const clientIp = NETWORKS[0] ?? '';
  for (let wrong = 0; wrong < 6; wrong += 1) await signIn('not the password', { clientIp });
  expect((await signIn(account.password, { clientIp })).status).toBe(429);
  const change = { currentPassword: account.password, newPassword: NEW };
  await send(host, 'POST', '/api/account/change-password', change, here);
  expect(await isLetIn({ clientIp }, NEW)).toBe(true);
  for (let wrong = 0; wrong < 6; wrong += 1) await signIn('not the password', { clientIp });
  expect(await isLetIn({ clientIp, devices: [here.device] }, NEW)).toBe(true);
  expect((await signIn(NEW, { clientIp, devices: [other.device] })).status).toBe(429);
});

test('at most twenty devices of an account stay known', async () => {
  const devices: string[] = [];
  for (let turn = 0; turn < 21; turn += 1) {
    host.clock.advance(61 * SECOND);
    devices.push((await knownDevice()).device);
  }
  await attack();
  const clientIp = NETWORKS[0] ?? '';
  const isKnown = (device = '') => isLetIn({ clientIp, devices: [device] });
  expect([await isKnown(devices[0]), await isKnown(devices[1])]).toEqual([false, true]);
});

describe('within a day at most', () => {
  /** How many attempts are checked in a day if each is made as early as allowed. */
  async function judgedInADay(attempts: (() => Promise<void>)[]): Promise<number> {
    const begin = host.clock.now().getTime();
    const due = attempts.map(() => 0);
    let judged = 0;
    for (;;) {
      const next = due.indexOf(Math.min(...due));
      if ((due[next] ?? 0) >= DAY) return judged;
      host.clock.set(new Date(begin + (due[next] ?? 0)));
      try {
        await attempts[next]?.();
        judged += 1;
      } catch (error) {
        due[next] = (due[next] ?? 0) + (error as { retryAfterSeconds: number }).retryAfterSeconds * SECOND;
      }
    }
  }

  const about =
    (clientIp: string, email = account.email) =>
    async () => {
      const guess = { email, passwordHash: 'some hash', clientIp };
      await countAccountAttempt(host.deps, guess, { ...NOBODY, clientIp });
      await recordWrongPassword(host.deps, guess);
    };

  test('106 passwords are checked from one network for one account', async () => {
    expect(await judgedInADay([about(NETWORKS[0] ?? '')])).toBeLessThanOrEqual(106);
  });

  test('400 passwords are checked from ten networks for one account', async () => {
    expect(await judgedInADay(NETWORKS.map((clientIp) => about(clientIp)))).toBeLessThanOrEqual(400);
  });

  test('1,600 passwords are checked from one network for all accounts', async () => {
    const clientIp = NETWORKS[1] ?? '';
    const judged = await judgedInADay([() => countNetworkAttempt(host.deps, { ...NOBODY, clientIp })]);
    expect(judged).toBeLessThanOrEqual(1_600);
  });

  test('320 passwords are checked from one known device', async () => {
    expect(await judgedInADay([() => countDeviceAttempt(host.deps, 'a device', NOBODY)])).toBeLessThanOrEqual(
      320,
    );
  });
});
