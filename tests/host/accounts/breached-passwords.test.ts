import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { fetchWhole } from '#runtime/fetch-whole';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';

const BREACHED = 'seven green boats at dawn';
const DIGITS = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();
const OTHERS = '0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n011053FD0102E94D6AE2F8B83D76FAF94F6:1';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let host: TestHost;
let account: TestAccount;
let answer: Answer;
let requested: IncomingMessage[];
let lines: string[];

/** A local HTTP server that stands in for the list. */
const list = createServer((request, response) => {
  requested.push(request);
  answer(request, response);
});

beforeAll(async () => {
  list.listen(0, '127.0.0.1');
  await once(list, 'listening');
  const { port } = list.address() as AddressInfo;
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const settings = { breachedPasswordsUrl: `http://127.0.0.1:${port}/range` };
  host = await createTestHost({ log, fetch: fetchWhole, settings });
});
beforeEach(async () => {
  requested = [];
  lines = [];
  answer = (_, response) => response.end(`${OTHERS}\r\n${DIGITS.slice(5)}:42`);
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(async () => {
  list.closeAllConnections();
  list.close();
  await host.close();
});

function change(newPassword: string) {
  const body = { currentPassword: account.password, newPassword };
  return send(host, 'POST', '/api/account/change-password', body, account);
}

async function reset(password: string) {
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const token = await mailedToken(host, account.email);
  const body = { token, password, confirmPassword: password };
  return send(host, 'POST', '/api/account/reset-password', body);
}

async function onboard(password: string) {
  const email = `buyer-of-${account.id}@shop.example`;
  await createOnboarding(host.db.orm, host.deps, { email, locale: 'gb' }, host.clock.now());
  const token = await mailedToken(host, email);
  const body = { token, firstName: 'Ada', lastName: 'Tester', password, confirmPassword: password };
  return send(host, 'POST', '/api/account/onboarding', body);
}

test.each([
  ['change', change, 'newPassword'],
  ['reset', reset, 'password'],
  ['onboarding', onboard, 'password'],
])('a breached password is refused at a %s', async (_, set, field) => {
  const refused = await set(BREACHED);
  expect([refused.status, refused.body.errors]).toEqual([422, { [field]: ['password_breached'] }]);
  expect(requested).toHaveLength(1);
});

test('only the first five digits of the hash are sent, and padding is requested', async () => {
  await change(BREACHED);
  expect(requested.map(({ method, url }) => [method, url])).toEqual([
    ['GET', `/range/${DIGITS.slice(0, 5)}`],
  ]);
  expect(requested[0]?.headers['add-padding']).toBe('true');
  expect(JSON.stringify([requested[0]?.rawHeaders, lines])).not.toContain(DIGITS.slice(5));
});

test.each([
  ['only others with the same prefix', OTHERS],
  ['it as padding', `${DIGITS.slice(5)}:0`],
  ['nothing', ''],
])('a password is accepted if the list contains %s', async (_, text) => {
  answer = (__, response) => response.end(text);
  expect((await change(BREACHED)).status).toBe(200);
});

test('a password that breaks the rules is not looked up', async () => {
  expect((await change('Sunshine2024!')).body.errors).toEqual({ newPassword: ['password_common'] });
  expect(requested).toEqual([]);
});

test.each<[string, Answer]>([
  ['responds with an error', (_, response) => response.writeHead(503).end()],
  ['redirects', (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()],
  ['drops the connection', (_, response) => response.destroy()],
  ['never responds', () => undefined],
  ['stalls half way', (_, response) => response.write(OTHERS)],
])('a password is accepted if the list %s, and a warning is logged', async (_, fails) => {
  answer = fails;
  expect((await change(BREACHED)).status).toBe(200);
  const warned = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /breached/.test(msg));
  expect(warned).toMatchObject([{ level: 40, requestId: expect.any(String) }]);
  expect(lines.join('\n')).not.toContain(BREACHED);
});

test('without a configured list nothing is looked up', async () => {
  const open = await createTestHost();
  account = await open.account();
  const body = { currentPassword: account.password, newPassword: BREACHED };
  expect((await send(open, 'POST', '/api/account/change-password', body, account)).status).toBe(200);
  await open.close();
});
