import fs from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** How the engine starts, without its own `-F`: `fdatasync` does nothing inside of it, `fsync` can be made to work. */
const START = [...PGlite.defaultStartParams.filter((flag) => flag !== '-F'), '-c', 'wal_sync_method=fsync'];

/**
 * What `PGlite.create` needs to open the database in a folder so that a commit is on the disk before it is answered:
 * the engine syncs no file by itself, and a power cut would take the last commits, or the whole database.
 */
export function syncedFolder(folder) {
  return { fs: new SyncedFolder(folder), startParams: START };
}

class SyncedFolder extends NodeFS {
  async init(database, options) {
    const { emscriptenOpts } = await super.init(database, options);
    emscriptenOpts.preRun.push(({ NODEFS, FS }) => {
      NODEFS.stream_ops.fsync = ({ nfd, node }) => {
        if (!nfd) return 0;
        if (FS.isDir(node.mode)) fs.fsyncSync(nfd);
        else fs.fdatasyncSync(nfd);
        return 0;
      };
    });
    return { emscriptenOpts };
  }
}
