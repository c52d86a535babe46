import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { isLoopbackCall } from '#host/http/loopback';

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
