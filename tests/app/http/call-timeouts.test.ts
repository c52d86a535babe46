import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { call } from '#contract/call';
import { scopeOf } from '../../support/scope';

vi.stubEnv('HOST_URL', 'http://host.example:4000');
vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
vi.stubEnv('LOG_LEVEL', 'silent');
const { callHost, fetchHost, isUnavailable, streamHost } = await import('~/http/host.server');

const named = { name: 'things', summary: '', access: 'public', errors: [] } as const;
const look = call({ ...named, method: 'GET', path: '/api/look', response: z.object({}) });
const send = call({ ...named, method: 'POST', path: '/api/files', form: z.unknown() });

/** The host answers a request when the test says so; an aborted request fails. */
let answer: ((response: Response) => void) | undefined;
let aborted: boolean;

beforeEach(() => {
  answer = undefined;
  aborted = false;
  vi.stubGlobal(
    'fetch',
    (_: URL, { signal }: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        answer = resolve;
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      }),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return () => vi.useRealTimers();
});
afterAll(() => vi.unstubAllGlobals());

const visit = () => scopeOf(new Request('http://localhost/page'));

/** Whether a call has timed out after so many milliseconds. */
async function hasFailed(calling: Promise<unknown>, ms: number): Promise<boolean> {
  const failed = calling.then(() => false, isUnavailable);
  await vi.advanceTimersByTimeAsync(ms);
  const turn = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([failed, turn]);
}

function formWith(value: string | File): FormData {
  const form = new FormData();
  form.set('title', 'A title');
  form.set('logo', value);
  return form;
}

test('a call times out after four and a half seconds', async () => {
  const calling = callHost(await visit(), look, {});
  expect([await hasFailed(calling, 4_499), await hasFailed(calling, 1)]).toEqual([false, true]);
});

test('all calls of a page share this time, those of another page have their own', async () => {
  const page = await visit();
  const first = callHost(page, look, {});
  await vi.advanceTimersByTimeAsync(3_000);
  answer?.(Response.json({}));
  await first;
  const [second, other] = [callHost(page, look, {}), callHost(await visit(), look, {})];
  expect([await hasFailed(second, 1_499), await hasFailed(second, 1)]).toEqual([false, true]);
  expect(await hasFailed(callHost(page, look, {}), 0)).toBe(true);
  expect([await hasFailed(other, 2_999), await hasFailed(other, 1)]).toEqual([false, true]);
});

test('a form with a file has twenty seconds, which do not count against the other calls', async () => {
  const page = await visit();
  const upload = fetchHost(page, send, { form: formWith(new File(['x'], 'logo.png')) });
  expect(await hasFailed(upload, 19_999)).toBe(false);
  answer?.(Response.json({}));
  await upload;
  const next = callHost(page, look, {});
  expect([await hasFailed(next, 4_499), await hasFailed(next, 1)]).toEqual([false, true]);
  const late = fetchHost(await visit(), send, { form: formWith(new File(['x'], 'logo.png')) });
  expect([await hasFailed(late, 19_999), await hasFailed(late, 1)]).toEqual([false, true]);
});

test('a form without a file has no more time than any other call, and shares it', async () => {
  const page = await visit();
  const upload = fetchHost(page, send, { form: formWith('none') });
  await vi.advanceTimersByTimeAsync(4_000);
  answer?.(Response.json({}));
  await upload;
  const next = callHost(page, look, {});
  expect([await hasFailed(next, 499), await hasFailed(next, 1)]).toEqual([false, true]);
});

test('a stream that has begun lasts for longer than a call may take', async () => {
  const streaming = streamHost(await visit(), look, {});
  await vi.advanceTimersByTimeAsync(4_000);
  answer?.(new Response(new ReadableStream()));
  await streaming;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(aborted).toBe(false);
  const another = streamHost(await visit(), look, {});
  expect([await hasFailed(another, 4_499), await hasFailed(another, 1)]).toEqual([false, true]);
});
