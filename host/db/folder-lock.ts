import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Locks a folder for this process until it is unlocked or the process ends in any way. Rejects if another process has
 * locked it. The lock is a socket beside the folder: the system closes it with its process, and unlike a process id it
 * means the same in every container that mounts the folder.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const path = resolve(folder);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return process.platform === 'win32' ? lockPipe(path) : lockSocket(path);
}

/** Error codes of file systems without sockets or links, as on some shared and removable disks. */
const UNSUPPORTED = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EINVAL']);

async function lockSocket(folder: string): Promise<() => void> {
  // Socket paths are limited to about a hundred characters; a link to the folder is short wherever the folder is.
  const short = mkdtempSync(join(tmpdir(), 'lock-'));
  const parent = join(short, 'at');
  symlinkSync(dirname(folder), parent);
  try {
    return await lockAt(folder, join(parent, `${basename(folder)}.lock`));
  } catch (error) {
    if (!UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return await lockAt(folder, join(tmpdir(), `${hashOf(folder)}.lock`));
  } finally {
    rmSync(short, { recursive: true });
  }
}

async function lockAt(folder: string, lock: string): Promise<() => void> {
  const socketPath = `${lock}-${randomUUID().slice(0, 8)}`;
  const server = await listen(socketPath);
  try {
    await acquire(folder, lock, socketPath);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(socketPath, { force: true });
  }
  const path = join(realpathSync(dirname(lock)), basename(lock));
  return () => {
    rmSync(path, { force: true });
    server.close();
  };
}

function hashOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}

/** Links the socket to its well-known name, which only one can have; a stale one is moved aside. */
async function acquire(folder: string, lock: string, socketPath: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      linkSync(socketPath, lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isListening(lock)) throw inUse(folder);
    const stalePath = `${socketPath}-old`;
    try {
      renameSync(lock, stalePath);
    } catch {
      continue;
    }
    // Another process may have moved the stale one aside and taken the name in between.
    if (await isListening(stalePath)) {
      renameSync(stalePath, lock);
      throw inUse(folder);
    }
    rmSync(stalePath, { force: true });
  }
  throw inUse(folder);
}

async function lockPipe(folder: string): Promise<() => void> {
  const server = await listen(`\\\\.\\pipe\\${hashOf(folder.toLowerCase())}`).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? inUse(folder) : error;
    },
  );
  return () => server.close();
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(path), 'listening');
  server.unref();
  return server;
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

function inUse(folder: string): Error {
  return new Error(
    `${folder} is in use by another process: stop that one first, or give this one a DATA_DIR of its own`,
  );
}
