import { expect, test } from 'vitest';
import {
  clearedNoticeCookie,
  makeNotice,
  readNotices,
  redirectKeepingFlash,
  redirectWithFlash,
} from '~/http/flash.server';

const SAVED = { type: 'success', key: 'qrcode_created' } as const;
const at = (cookie: string) => new Request('http://localhost/', { headers: { cookie } });
const pairOf = (setCookie = '') => setCookie.split(';')[0] ?? '';

test('a notice waits for the page that the redirect leads to, for a minute', async () => {
  const response = await redirectWithFlash('/next', { ...SAVED, values: { name: 'Menu' } }, ['other=1']);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/next']);
  const [notice, other] = response.headers.getSetCookie();
  expect(notice).toContain('Max-Age=60;');
  expect(other).toBe('other=1');
  expect(await readNotices(at(pairOf(notice)))).toEqual([
    { ...SAVED, id: expect.stringMatching(/^[\da-f-]{36}$/), values: { name: 'Menu' }, persistent: false },
  ]);
});

test('each notice has its own id, so that closing one keeps the others', () => {
  expect(makeNotice(SAVED).id).not.toBe(makeNotice(SAVED).id);
  expect(makeNotice({ ...SAVED, persistent: true }).persistent).toBe(true);
});

test('a pending notice is kept instead of a later one', async () => {
  const pending = pairOf((await redirectWithFlash('/', SAVED)).headers.getSetCookie()[0]);
  const later = { type: 'info', key: 'no_such_page' } as const;
  const kept = await redirectKeepingFlash({ request: at(pending) }, '/codes', later);
  expect([kept.status, kept.headers.get('location')]).toEqual([303, '/codes']);
  expect(kept.headers.getSetCookie()).toEqual([]);
  const shown = await redirectKeepingFlash({ request: at('') }, '/codes', later);
  expect(shown.headers.getSetCookie()).toHaveLength(1);
  expect(await readNotices(at(pairOf(shown.headers.getSetCookie()[0])))).toMatchObject([later]);
});

test('a shown notice is removed from the browser', async () => {
  const cleared = await clearedNoticeCookie();
  expect(cleared).toMatch(/^notice=[^;]*; Max-Age=0;/);
  expect(await readNotices(at(pairOf(cleared)))).toEqual([]);
});

test('a notice that this release does not know is not shown', async () => {
  const unknown = await redirectWithFlash('/', { ...SAVED, key: 'no_such_text' as never });
  expect(await readNotices(at(pairOf(unknown.headers.getSetCookie()[0])))).toEqual([]);
});
