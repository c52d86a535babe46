import files, { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StartupError } from '#runtime/startup-error';
import { loadOrCreateSecret } from '#runtime/stored-secret';

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

test.each([
  ['nothing', ''],
  ['31 characters', 'a'.repeat(31)],
])('a file with %s is never used as a secret', (_, content) => {
  const file = join(folder, 'jwt-secret');
  writeFileSync(file, content);
  const load = () => loadOrCreateSecret(folder, 'jwt-secret');
  expect(load).toThrow(StartupError);
  expect(load).toThrow(`${file} holds no secret: restore it from a backup`);
});

test('a secret of 32 characters is used', () => {
  writeFileSync(join(folder, 'jwt-secret'), `${'a'.repeat(32)}\n`);
  expect(loadOrCreateSecret(folder, 'jwt-secret')).toBe('a'.repeat(32));
});

test.each([
  ['EACCES', 'run the program as the user that owns its files, or change their owner'],
  ['EPERM', 'run the program as the user that owns its files, or change their owner'],
  ['EROFS', 'make its disk writable, or choose another folder'],
  ['ENOSPC', 'free some space on its disk'],
  ['EIO', 'check the folder and its disk'],
])('a secret that cannot be created or read because of %s says what to do', (code, advice) => {
  const failing = vi.spyOn(files, 'writeFileSync').mockImplementation(() => {
    throw Object.assign(new Error(`${code}: reason, open 'jwt-secret'`), { code });
  });
  syncBuiltinESMExports();
  const load = () => loadOrCreateSecret(folder, 'jwt-secret');
  try {
    expect(load).toThrow(StartupError);
    expect(load).toThrow(`DATA_DIR cannot be used (${code}: reason, open 'jwt-secret'): ${advice}`);
  } finally {
    failing.mockRestore();
    syncBuiltinESMExports();
  }
});
