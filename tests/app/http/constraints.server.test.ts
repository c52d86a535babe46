import { beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { TicketForm } from '#contract/tickets';
import type { Scope } from '~/http/scope.server';

vi.hoisted(() => {
  process.env.SESSION_SECRET = 'a secret of the tests that is long enough';
  process.env.LOG_LEVEL = 'silent';
});
const { cacheConstraints, readConstraints } = await import('~/http/constraints.server');
const { staleIfError } = await import('~/http/stale-if-error.server');

const scope = {} as Scope;
const schema = z.toJSONSchema(TicketForm, { io: 'input', unrepresentable: 'any' });

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test('the rules of the contact form become equivalent attributes', () => {
  expect(readConstraints(schema)).toMatchObject({
    email: { required: true, minLength: 1, maxLength: 254, pattern: expect.stringMatching(/^\^.*\$$/) },
    firstname: { required: true, maxLength: 100 },
    subject: { required: true },
    message: { required: true, minLength: 10, maxLength: 5000 },
  });
});

test('rules that HTML cannot express are left out, and optional fields are not required', () => {
  const properties = {
    a: { type: 'string', pattern: 'part of it', maxLength: -1 },
    b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    c: true,
    d: { type: 'string', pattern: '^start' },
    e: { type: 'string', pattern: 'end$', minLength: 1.5 },
    f: { type: 'string', minLength: 0 },
  };
  expect(readConstraints({ type: 'object', properties })).toEqual({
    a: {},
    b: {},
    c: {},
    d: {},
    e: {},
    f: { minLength: 0 },
  });
  expect(() => readConstraints({ type: 'string' })).toThrow();
});

test('a form has no constraints while the host does not respond', async () => {
  let isDown = true;
  const constraintsOf = cacheConstraints(async () => {
    if (isDown) throw new Error('down');
    return { data: schema };
  });
  expect(await constraintsOf(scope)).toEqual({});
  isDown = false;
  expect(await constraintsOf(scope)).toHaveProperty('email.required', true);
});

test('a visitor who is redirected while the rules are read is redirected', async () => {
  const redirect = new Response(null, { status: 303 });
  const constraintsOf = cacheConstraints(() => Promise.reject(redirect));
  await expect(constraintsOf(scope)).rejects.toBe(redirect);
});

test('a response is cached for five minutes, and longer while no newer one is available', async () => {
  let answer: string | Error = 'first';
  const ask = vi.fn(async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const kept = staleIfError(ask);
  expect(await kept(scope)).toBe('first');
  answer = 'second';
  expect(await kept(scope)).toBe('first');
  expect(ask).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5 * 60_000);
  expect(await kept(scope)).toBe('second');
  answer = new Error('down');
  vi.advanceTimersByTime(60 * 60_000);
  expect(await kept(scope)).toBe('second');
});

test('without any response, and for a redirect, the failure is passed on', async () => {
  const redirect = new Response(null, { status: 303 });
  const failures: unknown[] = [new Error('down'), redirect];
  const kept = staleIfError(() => Promise.reject(failures.shift()));
  await expect(kept(scope)).rejects.toThrow('down');
  await expect(kept(scope)).rejects.toBe(redirect);
});
