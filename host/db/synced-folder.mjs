import fs from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Start arguments of the engine, without its own `-F`: `fdatasync` does nothing in it, `fsync` can be made to work. */
const START = [
  ...PGlite.defaultStartParams.filter((flag) => flag !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  ...['-c', 'shared_buffers=32MB'],
];

/**
 * Options for `PGlite.create` to open the database in a folder so that commits are on disk before they are
 * acknowledged: the engine itself syncs no files, and a power cut would lose the last commits, or the whole database.
 */
export function syncedFolder(folder) {
  return { fs: new SyncedFolder(folder), startParams: START };
}

class SyncedFolder extends NodeFS {
  async init(database, options) {
    const { emscriptenOpts } = await super.init(database, options);
    emscriptenOpts.preRun.push(keepPrivate, syncForReal);
    return { emscriptenOpts };
  }
}

/** The engine sets file permissions itself, ignoring the umask: most files would be accessible to everybody. */
function keepPrivate({ NODEFS }) {
  const { mknod, setattr } = NODEFS.node_ops;
  NODEFS.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~0o077, device);
  NODEFS.node_ops.setattr = (node, changes) =>
    setattr(node, changes.mode === undefined ? changes : { ...changes, mode: changes.mode & ~0o077 });
}

function syncForReal({ NODEFS, FS }) {
  const { mknod, rename } = NODEFS.node_ops;
  /** Folders with new files since their last sync: a file is only durable once its directory entry is. */
  const changed = new Set();

  NODEFS.node_ops.mknod = (parent, ...rest) => {
    changed.add(NODEFS.realPath(parent));
    return mknod(parent, ...rest);
  };
  NODEFS.node_ops.rename = (node, folder, name) => {
    changed.add(NODEFS.realPath(folder));
    return rename(node, folder, name);
  };
  NODEFS.stream_ops.fsync = ({ nfd, node }) => {
    NODEFS.tryFSOperation(() => {
      if (FS.isDir(node.mode)) fs.fsyncSync(nfd);
      else if (nfd !== undefined) fs.fdatasyncSync(nfd);
      for (const folder of changed) syncNames(folder);
      changed.clear();
    });
    return 0;
  };
}

/** Syncs a folder with everything in it to disk, and restricts it to its owner. */
export async function syncFolder(folder) {
  fs.chmodSync(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  const syncs = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? syncFolder(path) : syncFile(path);
  });
  await Promise.all(syncs);
  syncNames(folder);
}

async function syncFile(path) {
  const file = await open(path, 'r+');
  await file.chmod(0o600);
  await file.datasync().finally(() => file.close());
}

/** Syncs the entries of a folder; Windows does that by itself and does not support it. */
export function syncNames(folder) {
  // A temporary folder may already be gone.
  if (process.platform === 'win32' || !fs.existsSync(folder)) return;
  const file = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}
