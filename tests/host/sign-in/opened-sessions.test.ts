import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import type { TestAccount, TestHost } from '../../support/host';
import { send, signInOf } from '../../support/json-calls';
import { SoftwareAuthenticator } from '../../support/software-authenticator';
import {
  createGoogleHost,
  type GoogleStandIn,
  googleCalls,
  NONCE,
  openGoogleStandIn,
} from './google-stand-in';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:138.0) Gecko/20100101 Firefox/138.0';
const SITE = { rpId: 'www.quadrille.example', origin: 'https://www.quadrille.example' };

let google: GoogleStandIn;
let host: TestHost;
let account: TestAccount;
let lines: string[];

beforeAll(async () => {
  google = await openGoogleStandIn();
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  host = await createGoogleHost({ fetch: google.fetch, log });
});
beforeEach(async () => {
  lines = [];
  host.clock.advance(2 * DAY_MS);
  account = await host.account();
});
afterAll(() => host.close());

const { idToken } = googleCalls(() => ({ google, host, account }));

type Fields = { remember?: boolean; devices?: string[] };

function post(path: string, body: object, clientIp = '203.0.113.7') {
  const headers = { 'user-agent': FIREFOX, 'x-client-ip': clientIp };
  return send(host, 'POST', path, body, { headers });
}

const challengeIn = ({ body }: { body: { data?: unknown } }) =>
  (body.data as { challenge: string }).challenge;

async function passkeyOf({ token, password }: TestAccount): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator();
  const path = '/api/account/passkeys';
  const begun = await send(host, 'POST', `${path}/options`, { currentPassword: password }, { token });
  const credential = authenticator.create({ ...SITE, challenge: challengeIn(begun) });
  await send(host, 'POST', path, { name: 'My key', credential }, { token });
  return authenticator;
}

/** Each way to sign in, and the audit event that it leaves; preparing gives a sign-in that can be repeated. */
const ways: [
  way: string,
  event: string,
  prepare: () => Promise<(fields: Fields) => ReturnType<typeof post>>,
][] = [
  [
    'a password',
    'login',
    async () => {
      const { email, password } = account;
      return (fields) => post('/api/login_check', { email, password, ...fields });
    },
  ],
  [
    'a password and a code',
    'login',
    async () => {
      const { secret } = await setUpAuthenticator(host, account);
      const { email, password } = account;
      return async ({ remember, devices }) => {
        host.clock.advance(60_000);
        const { body } = await post('/api/login_check', { email, password, remember });
        const { challenge } = body as { challenge?: string };
        return post('/api/login_check/code', {
          challenge,
          code: codeAt(secret, host.clock.now()),
          devices,
        });
      };
    },
  ],
  [
    'Google',
    'google_login',
    async () => async (fields) =>
      post('/api/google_login', { idToken: await idToken(), nonce: NONCE, ...fields }),
  ],
  [
    'a passkey',
    'passkey_login',
    async () => {
      const authenticator = await passkeyOf(account);
      return async (fields) => {
        const challenge = challengeIn(await post('/api/login_passkey/options', {}));
        return post('/api/login_passkey', {
          credential: authenticator.get({ ...SITE, challenge }),
          ...fields,
        });
      };
    },
  ],
];

describe.each(ways)('with %s', (_, event, prepare) => {
  test('a session names its device, and is remembered if asked', async () => {
    const signIn = await prepare();
    for (const remember of [true, false]) {
      const { token = '' } = (await signIn({ remember })).body;
      const { sessions } = await signInOf(host, token);
      const lasts = remember ? 30 * DAY_MS : DAY_MS / 2;
      expect(sessions.find(({ current }) => current)).toMatchObject({
        remember,
        device: { browser: 'Firefox', system: 'Windows', kind: 'desktop' },
        expiresAt: new Date(host.clock.now().getTime() + lasts).toISOString(),
      });
    }
  });

  test('a browser gets a device token, and keeps it at its next sign-in', async () => {
    const signIn = await prepare();
    const { device = '' } = (await signIn({})).body;
    expect(device).toMatch(/^[\w-]{43}$/);
    expect((await signIn({ devices: ['another one', device] })).body.device).toBe(device);
    expect((await signIn({})).body.device).not.toBe(device);
  });

  test('the audit log tells who signed in how, and from where', async () => {
    await (await prepare())({});
    const reported = lines.map((line) => JSON.parse(line)).filter(({ audit }) => /login$/.test(audit ?? ''));
    expect(reported).toMatchObject([{ audit: event, account: account.id, clientIp: '203.0.113.7' }]);
  });
});

test('the first factor and a newly linked Google account are in the audit log', async () => {
  await setUpAuthenticator(host, account);
  const { email, password } = account;
  await post('/api/login_check', { email, password });
  const other = await host.account();
  account = other;
  await post('/api/google_login', { idToken: await idToken(), nonce: NONCE });
  await post('/api/google_login', { idToken: await idToken(), nonce: NONCE });
  const reported = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit);
  expect(reported.filter(({ audit }) => audit === 'first_factor_accepted')).toMatchObject([
    { clientIp: '203.0.113.7', reason: 'password' },
  ]);
  expect(reported.filter(({ audit }) => audit === 'google_linked')).toMatchObject([
    { account: other.id, clientIp: '203.0.113.7' },
  ]);
});

const stranger = new SoftwareAuthenticator();
stranger.create({ ...SITE, challenge: 'none' });

test.each<[what: string, perHour: number, path: string, bodyOf: () => object]>([
  ['signing in with Google', 60, '/api/google_login', () => ({ idToken: 'a.b.c', nonce: NONCE })],
  ['entering a code', 100, '/api/login_check/code', () => ({ challenge: 'none', code: '123456' })],
  ['beginning with a passkey', 100, '/api/login_passkey/options', () => ({})],
  [
    'signing in with a passkey',
    100,
    '/api/login_passkey',
    () => ({ credential: stranger.get({ ...SITE, challenge: 'none' }) }),
  ],
])('%s is tried at most %i times an hour from one network', async (_, perHour, path, bodyOf) => {
  const attempt = async (clientIp: string) => (await post(path, bodyOf(), clientIp)).status;
  for (let turn = 0; turn < perHour; turn += 1) expect(await attempt('198.51.100.1')).not.toBe(429);
  expect(await attempt('198.51.100.1')).toBe(429);
  expect(await attempt('198.51.100.2')).not.toBe(429);
  const held = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'held_back');
  expect(held).toMatchObject([{ clientIp: '198.51.100.1' }]);
  host.clock.advance(3_600_000);
  expect(await attempt('198.51.100.1')).not.toBe(429);
});

test('sessions are listed with the last used one first', async () => {
  const { email, password } = account;
  const signIn = async () => {
    host.clock.advance(60_000);
    return (await post('/api/login_check', { email, password })).body.token ?? '';
  };
  const [first, second] = [await signIn(), await signIn()];
  const currentPlaces = async (token: string) =>
    (await signInOf(host, token)).sessions.map(({ current }) => current);
  expect(await currentPlaces(second)).toEqual([true, false, false]);
  expect(await currentPlaces(first)).toEqual([false, true, false]);
  host.clock.advance(10 * 60_000);
  expect(await currentPlaces(first)).toEqual([true, false, false]);
});
