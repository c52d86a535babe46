import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrlOf, readDatabasePlace, readEnv } from '#host/env';
import { ownHostUrl } from '../../runtime/own-address.mjs';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('DATABASE_URL without JWT_SECRET fails, and the error names the file with the old secret', () => {
  const DATA_DIR = makeFolder();
  const read = () => readEnv({ DATABASE_URL: 'postgres://db', DATA_DIR });
  expect(read).toThrow(/JWT_SECRET is required together with DATABASE_URL$/m);
  writeFileSync(join(DATA_DIR, 'jwt-secret'), 'a'.repeat(64));
  expect(read).toThrow(join(DATA_DIR, 'jwt-secret'));
});

test.each([
  [undefined, 'http://127.0.0.1:4000'],
  ['', 'http://127.0.0.1:4000'],
  ['0.0.0.0', 'http://127.0.0.1:4000'],
  ['::', 'http://127.0.0.1:4000'],
  ['10.0.0.7', 'http://10.0.0.7:4000'],
  ['fd00::7', 'http://[fd00::7]:4000'],
])('a host that binds %s is reached locally at %s', (bound, url) => {
  expect(ownHostUrl(bound, 4000)).toBe(url);
});

test('the database is the server of the settings, else the embedded one; without either, one sentence says so', () => {
  const EMBEDDED_DATABASE_URL = 'postgres://embedded';
  expect(databaseUrlOf({ DATABASE_URL: 'postgres://db', EMBEDDED_DATABASE_URL })).toBe('postgres://db');
  expect(databaseUrlOf({ DATABASE_URL: undefined, EMBEDDED_DATABASE_URL })).toBe(EMBEDDED_DATABASE_URL);
  expect(() => databaseUrlOf({ DATABASE_URL: undefined, EMBEDDED_DATABASE_URL: undefined })).toThrow(
    'There is no database: set DATABASE_URL, or start with',
  );
  // Not a server of the operator's, which would require a JWT_SECRET.
  expect(readEnv({ EMBEDDED_DATABASE_URL, DATA_DIR: makeFolder() }).DATABASE_URL).toBeUndefined();
});

test.each(['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'])('%s without DATABASE_URL is refused', (name) => {
  const settings = { NODE_ENV: 'test', [name]: 'postgres://db', DATA_DIR: makeFolder() } as const;
  for (const read of [readEnv, readDatabasePlace])
    expect(() => read(settings)).toThrow(`${name} needs DATABASE_URL`);
});

test('a refund is not announced to take longer than it may at most, the default included', () => {
  const DATA_DIR = makeFolder();
  for (const settings of [{ REFUND_MIN_DAYS: '11' }, { REFUND_MAX_DAYS: '2' }])
    expect(() => readEnv({ ...settings, DATA_DIR })).toThrow(
      'REFUND_MIN_DAYS must not exceed REFUND_MAX_DAYS',
    );
  expect(readEnv({ REFUND_MAX_DAYS: '3', DATA_DIR }).REFUND_MAX_DAYS).toBe(3);
});
