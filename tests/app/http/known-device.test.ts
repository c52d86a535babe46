import { expect, test } from 'vitest';
import { readDevices, signInCookies } from '~/http/session.server';

const requestWith = (cookie: string) => new Request('http://localhost/login', { headers: { cookie } });

/** The device cookie after signing in with a browser that has the given one. */
async function signIn(cookie: string, device: string): Promise<string> {
  const cookies = await signInCookies(requestWith(cookie), { token: 'a token', device }, false);
  return cookies.find((header) => header.startsWith('device='))?.split(';')[0] ?? '';
}

test('a browser keeps the device tokens of the last five accounts, newest first', async () => {
  let cookie = '';
  for (const device of ['a', 'b', 'c', 'd', 'e', 'f']) cookie = await signIn(cookie, device);
  expect(await readDevices(requestWith(cookie))).toEqual(['f', 'e', 'd', 'c', 'b']);
});

test('the device token of an account that signs in again moves to the front', async () => {
  let cookie = '';
  for (const device of ['a', 'b', 'a']) cookie = await signIn(cookie, device);
  expect(await readDevices(requestWith(cookie))).toEqual(['a', 'b']);
});

test('a sign-in without a device token leaves the kept ones as they are', async () => {
  const kept = await signIn('', 'a');
  expect(await signInCookies(requestWith(kept), { token: 'a token', device: '' }, false)).toEqual([
    expect.stringMatching(/^session=/),
  ]);
});

test('the device cookie lasts for a year', async () => {
  const [, device] = await signInCookies(requestWith(''), { token: 'a token', device: 'a' }, false);
  expect(device).toContain('Max-Age=31536000');
});
