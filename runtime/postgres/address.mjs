// Where a PostgreSQL server listens, and what its data folder says about the one that runs on it.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** @typedef {{ pid: number, port: number, socketFolder: string, isReady: boolean }} PidFile */

export const PORT = 5432;
const PID_FILE = 'postmaster.pid';
/** Bytes of a socket's path that every system takes. */
const MAX_SOCKET_PATH = 100;

/**
 * What the file of a running server, or of one that was killed, says about it; null without one.
 *
 * @param {string} folder the data folder
 * @returns {PidFile | null}
 */
export function readPidFile(folder) {
  try {
    const [pid, , , port, socketFolder = '', , , status = ''] = fs
      .readFileSync(join(folder, PID_FILE), 'utf8')
      .split('\n');
    return { pid: Number(pid), port: Number(port) || PORT, socketFolder, isReady: status.trim() === 'ready' };
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string} folder */
export function removePidFile(folder) {
  fs.rmSync(join(folder, PID_FILE), { force: true });
}

/**
 * The data folder, which is private; or a private one with a shorter path, or on a file system that has sockets.
 *
 * @param {string} folder the data folder
 * @param {import('./programs.mjs').RunUser | null} user
 * @param {string | undefined} previous where an earlier server listened
 */
export async function findSocketFolder(folder, user, previous) {
  const socket = join(folder, `.s.PGSQL.${PORT}`);
  // Under another name, because the socket of a killed server is still there.
  const trial = join(folder, `.s.${process.pid}`);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH && (await canListen(trial))) return folder;
  const uid = user?.uid ?? process.getuid();
  if (previous && dirname(previous) === tmpdir() && isPrivate(previous, uid)) return previous;
  const made = fs.mkdtempSync(join(tmpdir(), 'quadrille-'));
  if (user) fs.chownSync(made, user.uid, user.gid);
  return made;
}

function isPrivate(folder, uid) {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
}

async function canListen(path) {
  const server = createServer();
  const isListening = new Promise((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
  });
  server.listen(path);
  const result = await isListening;
  if (result) await new Promise((resolve) => server.close(resolve));
  return result;
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Whether a process is the server of the data folder: since a server was killed its id may belong to another program.
 *
 * @param {number} pid
 * @param {string} folder
 */
export function isServer(pid, folder) {
  if (!isAlive(pid)) return false;
  return commandOf(pid).includes(`-D ${folder} `);
}

function commandOf(pid) {
  try {
    if (fs.existsSync('/proc/self/cmdline'))
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
}
