import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLoopbackCall } from '#host/http/request-origin';
import { createTestHost, type TestHost } from '../../support/host';

const FORM = 'application/x-www-form-urlencoded';
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const post = (path: string, headers: Record<string, string>, body = 'a=b') =>
  host.request(path, { method: 'POST', headers, body });

const FORMS = ['/sandbox/pay/x', '/sandbox/pay/x/challenge', '/sandbox/portal/x'];

test.each(FORMS)('a form of another site does not reach %s', async (path) => {
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of foreign) {
    expect((await post(path, { 'content-type': FORM, ...headers })).status).toBe(403);
  }
});

test.each(FORMS)('%s accepts forms only', async (path) => {
  for (const type of ['text/plain', 'application/json', '']) {
    expect((await post(path, { 'content-type': type })).status).toBe(415);
  }
  const own: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost' },
  ];
  for (const headers of own) {
    // 404, because the request got as far as looking up a card page that does not exist.
    expect((await post(path, { 'content-type': `${FORM}; charset=utf-8`, ...headers })).status).toBe(404);
  }
});

test('the clock can be moved by a program with JSON, not by a page of another site', async () => {
  const move = (headers: Record<string, string>) => post('/sandbox/clock', headers, '{"advance":"1s"}');
  expect((await move({ 'content-type': 'text/plain' })).status).toBe(415);
  expect((await move({ 'content-type': FORM })).status).toBe(415);
  expect((await move({ 'content-type': 'application/json', origin: 'https://evil.example' })).status).toBe(
    403,
  );
  expect((await move({ 'content-type': 'application/json' })).status).toBe(200);
});

test.each(['/mailbox', '/mailbox.json'])('no page of another site can read %s', async (path) => {
  const read = async (headers: Record<string, string>) => (await host.request(path, { headers })).status;
  expect(await read({ origin: 'https://evil.example' })).toBe(403);
  expect(await read({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await read({})).toBe(200);
  expect(await read({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
});

const app = new Hono().get('/', (context) => context.json(isLoopbackCall(context)));

async function isFromHere(remoteAddress: string, localAddress: string, url = 'http://localhost:4000/') {
  const answer = await app.request(url, {}, { incoming: { socket: { remoteAddress, localAddress } } });
  return answer.json();
}

test('a call is local if it comes over loopback, or from the address that it goes to', async () => {
  expect(await isFromHere('127.0.0.1', '127.0.0.1')).toBe(true);
  expect(await isFromHere('::ffff:127.0.0.1', '::ffff:127.0.0.1')).toBe(true);
  expect(await isFromHere('127.0.0.1', '127.0.0.2')).toBe(true);
  expect(await isFromHere('10.0.0.7', '10.0.0.7')).toBe(true);
  expect(await isFromHere('10.0.0.8', '10.0.0.7')).toBe(false);
});

test('a call under another host name is not local, wherever it comes from', async () => {
  expect(await isFromHere('127.0.0.1', '127.0.0.1', 'http://rebound.example/')).toBe(false);
  expect(await isFromHere('10.0.0.7', '10.0.0.7', 'http://10.0.0.7/')).toBe(false);
});
