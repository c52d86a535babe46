import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOrCreateSecret } from '#contract/stored-secret';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a secret is created once, stored, and readable only by its owner', () => {
  const place = join(folder, 'data');
  const secret = loadOrCreateSecret(place, 'jwt-secret');
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(loadOrCreateSecret(place, 'jwt-secret')).toBe(secret);
  expect(loadOrCreateSecret(place, 'session-secret')).not.toBe(secret);
  expect(readdirSync(place).sort()).toEqual(['jwt-secret', 'session-secret']);
  expect(statSync(join(place, 'jwt-secret')).mode & 0o777).toBe(0o600);
});

test('a file without a secret is never used as one', () => {
  writeFileSync(join(folder, 'jwt-secret'), '');
  expect(() => loadOrCreateSecret(folder, 'jwt-secret')).toThrow('holds no secret');
});
