import { expect, test } from 'vitest';
import { type Call, PUBLIC_API } from '#contract/call';
import { formBytesLimit } from '#runtime/request-bodies';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules).flatMap((exported) => Object.values(exported).filter(isCall));
const published = calls.flatMap((call) => {
  const path = call.path.startsWith(PUBLIC_API) ? call.path : call.publicPath;
  return path && (call.body || call.form) ? [[`${call.method} ${path}`, path, call] as const] : [];
});

test.each(published)('the gateway takes a body of %s as large as the call does', (_, path, call) => {
  const limit = formBytesLimit(path.replace(/\{\w+\}/g, '7'));
  expect(limit).toBeGreaterThanOrEqual(call.maxBodyBytes ?? 64 * 1024);
});

test('other bodies have 64 kB', () => {
  expect(formBytesLimit('/api/v1/codes')).toBe(64 * 1024);
  expect(formBytesLimit('/api/v1/codes/7/batch')).toBe(64 * 1024);
});

function isCall(value: unknown): value is Call {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
