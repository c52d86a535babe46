// Where the PostgreSQL that npm has installed runs: its user and its data folder.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  ANOTHER_SERVER,
  ENVIRONMENT,
  findPrograms,
  IS_WINDOWS,
  lastLine,
  makeSharedPlace,
  PostgresUnavailable,
  runProgram,
  SHARED_PLACE,
} from './programs.mjs';

/**
 * @typedef {object} Place
 * @property {string} dataDir
 * @property {string} bin folder of the programs
 * @property {string} folder the data folder
 * @property {import('./programs.mjs').RunUser | null} user who runs them, if not the user of this process
 * @property {string} password for connections over the network; empty if there are none
 */

export const DATABASE_USER = 'quadrille';

const MAJOR = '18';
/** What initdb reports if its user has no entry in /etc/passwd. */
const NAMELESS = /could not look up effective user/;
const PASSWORD_FILE = 'postgres-secret';

/**
 * Finds the programs, and the data folder `DATA_DIR/postgres`, which is created if it does not exist. Throws
 * PostgresUnavailable.
 *
 * @param {string} dataDir
 * @param {{ isDisposable?: boolean, onLoopback?: boolean, report: (text: string) => void }} options
 * @returns {Place}
 */
export function preparePlace(dataDir, options) {
  try {
    return findPlace(dataDir, options);
  } catch (error) {
    if (!error.syscall) throw error;
    throw new PostgresUnavailable(
      `No database can be kept in ${resolve(dataDir)} (${error.message}): make that possible, or set DATA_DIR to another folder, or ${ANOTHER_SERVER}.`,
    );
  }
}

function findPlace(dataDir, { isDisposable = false, onLoopback = false, report }) {
  const entry = resolve(dataDir, 'postgres');
  if (!fs.existsSync(entry) && fs.existsSync(resolve(dataDir, 'database')))
    throw new PostgresUnavailable(
      `${resolve(dataDir, 'database')} was written by an earlier release with another database engine: run its "npm run db:backup", move that folder away, and run "npm run db:restore" here.`,
    );
  makeDataDir(resolve(dataDir));
  const user = userToRunAs(dataDir, entry);
  const bin = findPrograms(user, dataDir);
  const folder = findFolder(entry, user, report);
  const password = onLoopback || IS_WINDOWS ? loadPassword(dataDir) : '';
  const versionFile = join(folder, 'PG_VERSION');
  if (!fs.existsSync(versionFile)) createCluster({ bin, folder, user, password }, isDisposable);
  const version = fs.readFileSync(versionFile, 'utf8').trim();
  if (version !== MAJOR)
    throw new PostgresUnavailable(
      `${folder} was written by PostgreSQL ${version}, and this release has PostgreSQL ${MAJOR}: run "npm run db:backup" with the release that wrote it, move that folder away, and run "npm run db:restore" here.`,
    );
  return { dataDir, bin, folder: fs.realpathSync(folder), user, password };
}

/** Private folders; started as root, another user passes through them. */
function makeDataDir(dataDir) {
  const created = fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (created === undefined || IS_WINDOWS || process.getuid() !== 0) return;
  for (let folder = dataDir; folder.startsWith(created); folder = dirname(folder))
    fs.chmodSync(folder, 0o711);
}

/**
 * PostgreSQL refuses to run as root: then it runs as the owner of its data, or of DATA_DIR if that user has a name,
 * without which no data can be created; else as nobody.
 */
function userToRunAs(dataDir, entry) {
  if (IS_WINDOWS) return null;
  const passwd = readIfPossible('/etc/passwd');
  const hasName = ({ uid }) => new RegExp(`^[^:]+:[^:]*:${uid}:`, 'm').test(passwd);
  const [data, folder] = [entry, dataDir].map((path) => fs.statSync(path, { throwIfNoEntry: false }));
  const owner = [data, folder && hasName(folder) ? folder : undefined].find(isNobodysRoot);
  const ownUid = process.getuid();
  if (ownUid !== 0) {
    if (fs.existsSync(entry) && fs.statSync(entry).uid !== ownUid)
      throw new PostgresUnavailable(
        `${entry} belongs to another user: start as that user, or give the folder to the one that starts Quadrille (chown -R).`,
      );
    return null;
  }
  if (owner) return { uid: owner.uid, gid: owner.gid, name: `user ${owner.uid}` };
  const fields = /^nobody:[^:]*:(\d+):(\d+)/m.exec(passwd);
  return { uid: Number(fields?.[1] ?? 65_534), gid: Number(fields?.[2] ?? 65_534), name: 'nobody' };
}

function isNobodysRoot(stats) {
  return stats !== undefined && stats.uid !== 0;
}

function readIfPossible(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The data folder: the entry in DATA_DIR, or what it links to because the user cannot reach DATA_DIR. */
function findFolder(entry, user, report) {
  const dataDir = dirname(entry);
  const isLink = fs.lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  // The user passes through to its own folder, and everything else there is private by itself.
  const { uid, mode } = fs.statSync(dataDir);
  if (user && !isLink && uid !== user.uid) fs.chmodSync(dataDir, (mode & 0o777) | 0o011);
  if (fs.existsSync(entry)) return fs.realpathSync(entry);
  if (!user) return entry;
  if (!isLink && canEnter(fs.realpathSync(dataDir), user)) return entry;
  const hash = createHash('sha256').update(fs.realpathSync(dataDir)).digest('hex').slice(0, 12);
  const folder = join(SHARED_PLACE, hash);
  makeSharedPlace();
  fs.rmSync(entry, { force: true });
  fs.symlinkSync(folder, entry);
  report(
    `The user ${user.name}, as which PostgreSQL runs, cannot reach ${dataDir}: the database is in ${folder}.`,
  );
  return folder;
}

function canEnter(folder, user) {
  const ids = { uid: user.uid, gid: user.gid };
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...ids, cwd: '/' }).status === 0;
}

function loadPassword(dataDir) {
  const file = join(dataDir, PASSWORD_FILE);
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return fs.readFileSync(file, 'utf8').trim();
}

/** Created under another name, so that an interrupted start leaves nothing half-made behind. */
function createCluster({ bin, folder, user, password }, isDisposable) {
  const unfinished = `${folder}.unfinished`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(unfinished, { mode: 0o700 });
  if (user) fs.chownSync(unfinished, user.uid, user.gid);
  const passwordFile = `${folder}.password`;
  if (password) {
    fs.writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user) fs.chownSync(passwordFile, user.uid, user.gid);
  }
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${DATABASE_USER}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    // The folder of its socket is private.
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    ...(password ? [`--pwfile=${passwordFile}`] : []),
    ...(isDisposable ? ['--no-sync'] : []),
  ];
  const { status, stderr, error } = runInitdb(bin, args, user);
  fs.rmSync(passwordFile, { force: true });
  if (status !== 0) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    if (NAMELESS.test(stderr))
      throw new PostgresUnavailable(
        `No database can be created by a user without an entry in /etc/passwd (${process.getuid()}): add one, in a container to its image, or ${ANOTHER_SERVER}.`,
      );
    throw new PostgresUnavailable(
      `No database can be created in ${folder} (${reasonIn(stderr) || error?.code}): make that possible, or set DATA_DIR to another folder, or ${ANOTHER_SERVER}.`,
    );
  }
  fs.renameSync(unfinished, folder);
  if (!isDisposable) syncFolder(dirname(folder));
}

/** A user without a name gets one in a user namespace, where the system permits that. */
function runInitdb(bin, args, user) {
  const result = runProgram(bin, 'initdb', args, user);
  if (!NAMELESS.test(result.stderr)) return result;
  const named = ['--user', '--map-user=65534', '--map-group=65534', join(bin, 'initdb'), ...args];
  const retried = spawnSync('unshare', named, { env: ENVIRONMENT, cwd: '/', encoding: 'utf8' });
  return retried.status === 0 ? retried : result;
}

function syncFolder(folder) {
  if (IS_WINDOWS) return;
  const opened = fs.openSync(folder, 'r');
  fs.fsyncSync(opened);
  fs.closeSync(opened);
}

/** What a program reports as wrong, without its name and the hints that follow. */
function reasonIn(stderr = '') {
  const line = stderr.split('\n').find((text) => /\b(?:error|FATAL|PANIC):/.test(text)) ?? lastLine(stderr);
  return line.replace(/^.*?\b(?:error|FATAL|PANIC):\s*/, '');
}
