import { type ClientRequest, request } from 'node:http';
import { createCookie, createCookieSessionStorage } from '@remix-run/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GatewaySettings } from '#runtime/gateway/gateway';
import { MAX, WAITING } from '#runtime/gateway/website-queue';
import { cookieSecretOf } from '#runtime/session-cookies';
import { ask, type Handler, SESSION_SECRETS, serveBehindGateways } from './open-gateways';

const [SECRET = '', OLD_SECRET = ''] = SESSION_SECRETS;
const OTHER_SECRET = 'x'.repeat(32);
const HOUR_SECONDS = 3_600;

/** What a test leaves open. */
const endings: (() => void)[] = [];
const answers: Promise<unknown>[] = [];
let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;

beforeAll(async () => {
  gateways = await serveBehindGateways();
});
afterEach(async () => {
  for (const end of endings.splice(0)) end();
  await Promise.allSettled(answers.splice(0));
  await gateways.clean();
});
afterAll(() => gateways.close());

/** A gateway whose website holds all requests until the test ends them. */
async function open(settings: Partial<GatewaySettings> = {}) {
  const arrived: { path: string; body: string; response: Parameters<Handler>[1] }[] = [];
  let isOver = false;
  endings.push(() => {
    isOver = true;
    for (const { response } of arrived) response.end();
  });
  const { url } = await gateways.open({
    website: async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      arrived.push({ path: incoming.url ?? '', body: Buffer.concat(chunks).toString(), response });
      if (isOver) response.end();
    },
    trustProxy: 'x-forwarded-for',
    ...settings,
  });
  let strangers = 0;
  /** Every stranger has a network of its own. */
  const send = (path: string, headers: Record<string, string> = {}, body?: string) => {
    strangers += 1;
    const from = { 'x-forwarded-for': `198.51.100.${strangers}`, ...headers };
    const answer = ask(url + path, from, body === undefined ? 'GET' : 'POST', body);
    answers.push(answer);
    return answer;
  };
  const begin = (path: string, method = 'GET', headers = {}): ClientRequest => {
    strangers += 1;
    const from = { 'x-forwarded-for': `198.51.100.${strangers}`, ...headers };
    const begun = request(url + path, { method, headers: from });
    endings.push(() => begun.destroy());
    return begun.on('error', () => undefined);
  };
  const paths = () => arrived.map(({ path }) => path);
  const fill = async (path = '/faq') => {
    const requests = Array.from({ length: MAX.pages }, () => begin(path));
    for (const one of requests) one.end();
    await expect.poll(() => arrived.length).toBe(MAX.pages);
    return requests;
  };
  return { url, arrived, paths, send, begin, fill };
}

function tokenOf(sub: string, seconds = HOUR_SECONDS): string {
  const claims = { sub, email: 'ada@test.example', roles: [], exp: Math.floor(Date.now() / 1000) + seconds };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

/** The cookie that the website sets when somebody signs in. */
async function sessionOf(token: string, secret: string, name = 'session'): Promise<string> {
  const storage = createCookieSessionStorage({ cookie: { name, secrets: [secret] } });
  const session = await storage.getSession();
  session.set('token', token);
  session.set('remember', true);
  const [cookie = ''] = (await storage.commitSession(session)).split(';');
  return cookie;
}

async function signed(name: string, value: unknown, secret = SECRET): Promise<string> {
  const [cookie = ''] = (await createCookie(name, { secrets: [secret] }).serialize(value)).split(';');
  return cookie.slice(name.length + 1);
}

test('one more page of strangers than the website may work on waits, and a customer’s page passes', async () => {
  const { arrived, paths, send, fill } = await open();
  await fill();
  const waiting = send('/waiting');
  const page = send('/user/dashboard', { cookie: await sessionOf(tokenOf('ada'), SECRET) });
  await expect.poll(paths).toContain('/user/dashboard');
  expect(paths()).not.toContain('/waiting');
  arrived.at(-1)?.response.end('the dashboard');
  expect((await page).body).toBe('the dashboard');
  expect(paths()).not.toContain('/waiting');
  arrived[0]?.response.end();
  await expect.poll(paths).toContain('/waiting');
  arrived.at(-1)?.response.end('at last');
  expect((await waiting).body).toBe('at last');
});

test.each([
  ['the first secret', SECRET],
  ['one that was replaced', OLD_SECRET],
  ['the cookie’s own secret', cookieSecretOf('session', SECRET)],
])('a session signed with %s passes', async (_, secret) => {
  const { paths, send, fill } = await open();
  await fill();
  send('/user/dashboard', { cookie: `lng=de; ${await sessionOf(tokenOf('ada'), secret)}` });
  await expect.poll(paths).toContain('/user/dashboard');
});

test('over TLS only the cookie with the prefix passes', async () => {
  const { paths, send, fill } = await open({ addresses: ['https://quadrille.example'] });
  await fill();
  const name = '__Host-session';
  const secret = cookieSecretOf(name, SECRET);
  send('/without', { cookie: await sessionOf(tokenOf('ada'), SECRET) });
  send('/with', { cookie: await sessionOf(tokenOf('ada'), secret, name) });
  await expect.poll(paths).toContain('/with');
  expect(paths()).not.toContain('/without');
});

test.each([
  ['made up', async () => 'session=abc'],
  ['made up with dots', async () => `session=${tokenOf('ada')}`],
  ['not decodable', async () => 'session=%E0%A4%A.x'],
  ['empty', async () => 'session=.'],
  ['signed with another secret', () => sessionOf(tokenOf('ada'), OTHER_SECRET)],
  ['signed for another cookie', () => sessionOf(tokenOf('ada'), cookieSecretOf('flash', SECRET))],
  ['of an expired token', () => sessionOf(tokenOf('ada', -1), SECRET)],
  ['of no token', () => sessionOf('token', SECRET)],
  ['changed', async () => (await sessionOf(tokenOf('ada'), SECRET)).replace('=', '=A')],
  ['of a visitor', async () => `session=${await signed('visitor', { key: 'k'.repeat(32) })}`],
  ['of a device', async () => `session=${await signed('device', ['a token'])}`],
])('a session cookie that is %s gives no favour', async (_, cookie) => {
  const { paths, send, fill } = await open();
  await fill();
  send('/forged', { cookie: await cookie() });
  send('/user/dashboard', { cookie: await sessionOf(tokenOf('ada'), SECRET) });
  await expect.poll(paths).toContain('/user/dashboard');
  expect(paths()).not.toContain('/forged');
});

test('a browser that somebody has signed in with is the first of the strangers', async () => {
  const { arrived, paths, send, fill } = await open();
  await fill();
  send('/unknown', { cookie: `device=${await signed('visitor', { key: 'k' })}` });
  send('/known', { cookie: `device=${await signed('device', ['a token'])}` });
  // Both have reached the gateway when a later request has passed.
  send('/readyz');
  await expect.poll(paths).toContain('/readyz');
  arrived[0]?.response.end();
  await expect.poll(paths).toContain('/known');
  expect(paths()).not.toContain('/unknown');
});

test('a client that leaves gives its place back', async () => {
  const { paths, send, fill } = await open();
  const requests = await fill();
  send('/waiting');
  send('/readyz');
  await expect.poll(paths).toContain('/readyz');
  expect(paths()).not.toContain('/waiting');
  requests[3]?.destroy();
  await expect.poll(paths).toContain('/waiting');
});

test('a place is given back when the response begins, however slowly it is read', async () => {
  const { arrived, paths, send, fill } = await open();
  await fill();
  send('/waiting');
  arrived[0]?.response.write('a first part');
  await expect.poll(paths).toContain('/waiting');
});

test('bodies that do not arrive take no place', async () => {
  const { paths, send, begin } = await open();
  for (let n = 0; n < MAX.forms; n += 1) begin('/half', 'POST', { 'content-length': '6000' }).write('email=');
  for (let n = 0; n < MAX.forms; n += 1) send('/login', {}, 'email=ada');
  await expect.poll(paths).toEqual(Array(MAX.forms).fill('/login'));
});

test.each([
  ['of known length', 9, true],
  ['in chunks', 9, false],
  ['longer than what is kept', 300_000, true],
  ['longer than what is kept, in chunks', 300_000, false],
])('a body %s arrives as it was sent', async (_, length, isKnown) => {
  const { arrived, begin } = await open();
  const body = 'ab'.repeat(length).slice(0, length);
  const form = begin('/create', 'POST', isKnown ? { 'content-length': String(length) } : {});
  form.write(body.slice(0, 5));
  form.end(body.slice(5));
  await expect.poll(() => arrived.length).toBe(1);
  expect(arrived[0]?.body === body).toBe(true);
});

test('a long body is forwarded without a turn, and counts once it has arrived', async () => {
  const { arrived, paths, send } = await open();
  const long = 'x'.repeat(300_000);
  for (let n = 0; n < MAX.forms; n += 1) send('/create', {}, long);
  await expect.poll(() => arrived.length).toBe(MAX.forms);
  send('/create/receipt', {}, long);
  await expect.poll(paths).toContain('/create/receipt');
  send('/login', {}, 'email=ada');
  send('/readyz');
  await expect.poll(paths).toContain('/readyz');
  expect(paths()).not.toContain('/login');
  for (const { response } of arrived.slice(0, 2)) response.end();
  await expect.poll(paths).toContain('/login');
});

test('visits do not wait for the website’s queue, nor do their pages', async () => {
  const { url, paths, fill } = await open();
  const account = await gateways.host.account();
  const link = await gateways.host.code(account.id);
  const text = await gateways.host.code(account.id, { type: 'text', content: 'Hello' });
  await fill();
  const from = { 'x-forwarded-for': '203.0.113.9' };
  expect((await ask(`${url}/r/${link.slug}`, from)).status).toBe(302);
  answers.push(ask(`${url}/r/${text.slug}`, from));
  await expect.poll(() => paths().at(-1)).toContain(`/r/${text.slug}?counted=`);
});

test('who is refused is told when to come back, on a page of their language', async () => {
  const { url, fill } = await open();
  await fill();
  // As many wait from a network of 48 bits as one more is refused.
  const many = Array.from({ length: 4 * WAITING.perNetwork + 1 }, (_, n) =>
    ask(`${url}/faq`, { 'accept-language': 'de', 'x-forwarded-for': `2001:db8:1:${n.toString(16)}::1` }),
  );
  answers.push(...many);
  const { status, headers, body } = await Promise.race(many);
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  expect(body).toContain('<html lang="de">');
});
