import fs, { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeDataPrivate } from '#host/private-data';

let place: string;
let folder: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'private-'));
  folder = join(place, 'data');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(place, { recursive: true });
});

const modeOf = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8);

/** Writes a folder with the permissions of an earlier version. */
function writeOld(): void {
  mkdirSync(join(folder, 'database', 'base'), { recursive: true });
  mkdirSync(join(folder, 'visits'));
  for (const file of ['database/base/1259', 'visits/1.spool', 'jwt-secret']) {
    writeFileSync(join(folder, file), 'x');
    chmodSync(join(folder, file), 0o666);
  }
  for (const name of ['', 'database', 'database/base', 'visits']) chmodSync(join(folder, name), 0o755);
}

test('a new folder is accessible only to its owner', () => {
  expect(makeDataPrivate(folder)).toEqual([]);
  expect(modeOf()).toBe('700');
});

test('files that an earlier version left readable are restricted', () => {
  writeOld();
  expect(makeDataPrivate(folder)).toEqual([]);
  expect([modeOf(), modeOf('database'), modeOf('database/base'), modeOf('visits')]).toEqual(
    Array(4).fill('700'),
  );
  expect([modeOf('database/base/1259'), modeOf('visits/1.spool'), modeOf('jwt-secret')]).toEqual(
    Array(3).fill('600'),
  );
});

test.each(['', 'visits'])('an unreadable folder is reported, and the rest is restricted: “%s”', (locked) => {
  writeOld();
  const path = join(folder, locked);
  const list = fs.readdirSync;
  vi.spyOn(fs, 'readdirSync').mockImplementation(((one: string) => {
    if (one === path) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    return list(one);
  }) as typeof list);
  syncBuiltinESMExports();
  expect(makeDataPrivate(folder)).toEqual([path]);
  if (locked !== '') expect([modeOf('database'), modeOf('jwt-secret')]).toEqual(['700', '600']);
});

test('a folder that also contains other things keeps its permissions, and so do symlink targets', () => {
  writeOld();
  writeFileSync(join(folder, 'index.html'), 'x');
  chmodSync(join(folder, 'index.html'), 0o644);
  writeFileSync(join(place, 'elsewhere'), 'x');
  chmodSync(join(place, 'elsewhere'), 0o644);
  symlinkSync(join(place, 'elsewhere'), join(folder, 'visits', 'link'));
  makeDataPrivate(folder);
  expect([modeOf(), modeOf('index.html'), modeOf('../elsewhere')]).toEqual(['755', '644', '644']);
  expect([modeOf('database'), modeOf('jwt-secret')]).toEqual(['700', '600']);
});

test('what PostgreSQL needs is left alone, and its user passes through the folder if it is another one', () => {
  writeOld();
  mkdirSync(join(folder, 'postgres', 'base'), { recursive: true });
  mkdirSync(join(folder, 'demo', 'postgres'), { recursive: true });
  for (const name of ['postgres', 'postgres/base', 'demo', 'demo/postgres'])
    chmodSync(join(folder, name), 0o750);
  const lstat = fs.lstatSync;
  const owned = (uid: number) => {
    vi.spyOn(fs, 'lstatSync').mockImplementation(((path: string, options?: object) => {
      const stats = lstat(path, options as never);
      return path.endsWith('postgres') && stats ? Object.assign(stats, { uid }) : stats;
    }) as typeof lstat);
    syncBuiltinESMExports();
  };
  owned(statSync(folder).uid + 1);
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'demo'), 0o755);
  expect(makeDataPrivate(folder)).toEqual([]);
  expect([modeOf(), modeOf('demo'), modeOf('visits')]).toEqual(['711', '711', '700']);
  expect([modeOf('postgres'), modeOf('postgres/base'), modeOf('demo/postgres')]).toEqual([
    '750',
    '750',
    '750',
  ]);
  owned(statSync(folder).uid);
  expect(makeDataPrivate(folder)).toEqual([]);
  expect([modeOf(), modeOf('demo')]).toEqual(['700', '700']);
});
