import { beforeEach, expect, test, vi } from 'vitest';
import { log } from '~/http/log.server';
import { staleIfError } from '~/http/stale-if-error.server';
import { scopeOf } from '../../support/scope';

const SCOPE = await scopeOf();
const FIVE_MINUTES_MS = 5 * 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test('an answer is kept for five minutes, and for longer while reading fails', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue();
  const load = vi.fn<() => Promise<string>>();
  const read = staleIfError(load);
  load.mockResolvedValueOnce('first');
  expect(await read(SCOPE)).toBe('first');
  vi.advanceTimersByTime(FIVE_MINUTES_MS - 1);
  expect(await read(SCOPE)).toBe('first');
  expect(load).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  load.mockRejectedValueOnce(new Error('the host is down'));
  expect(await read(SCOPE)).toBe('first');
  expect(warn).toHaveBeenCalledTimes(1);
  load.mockResolvedValueOnce('second');
  expect(await read(SCOPE)).toBe('second');
  expect(load).toHaveBeenCalledTimes(3);
});

test('a failure is passed on while nothing is kept, and a redirect always', async () => {
  const load = vi.fn<() => Promise<string>>();
  const read = staleIfError(load);
  load.mockRejectedValueOnce(new Error('the host is down'));
  await expect(read(SCOPE)).rejects.toThrow('the host is down');
  load.mockResolvedValueOnce('first');
  await read(SCOPE);
  vi.advanceTimersByTime(FIVE_MINUTES_MS);
  const redirect = new Response(null, { status: 303 });
  load.mockRejectedValueOnce(redirect);
  await expect(read(SCOPE)).rejects.toBe(redirect);
});
