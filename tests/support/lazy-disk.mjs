import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';

// Simulates a disk that loses unsynced writes to the files below LAZY_DISK. After LAZY_DISK_WRITES writes the
// power fails: every block written since its file was last synced has either its old or its new content, at
// random, and the process is killed. File names are durable at once.

const BLOCK = 4_096;
const folder = resolve(process.env.LAZY_DISK ?? '');
let left = Number(process.env.LAZY_DISK_WRITES);

/** Unsynced files by inode: their size and the contents of since changed blocks at the last sync. */
const unsynced = new Map();
const watched = new Set();
const real = { ...fs };

fs.openSync = (path, ...rest) => {
  const file = real.openSync(path, ...rest);
  if (resolve(String(path)).startsWith(`${folder}/`)) watched.add(file);
  return file;
};

fs.closeSync = (file) => {
  watched.delete(file);
  real.closeSync(file);
};

fs.writeSync = (file, buffer, offset, length, position) => {
  if (!watched.has(file)) return real.writeSync(file, buffer, offset, length, position);
  remember(file, position, length);
  const written = real.writeSync(file, buffer, offset, length, position);
  left -= 1;
  if (left <= 0) failPower();
  return written;
};

for (const name of ['fsyncSync', 'fdatasyncSync']) {
  fs[name] = (file) => {
    real[name](file);
    unsynced.delete(real.fstatSync(file).ino);
  };
}
syncBuiltinESMExports();

function remember(file, position, length) {
  const { ino, size } = real.fstatSync(file);
  if (!unsynced.has(ino)) unsynced.set(ino, { size, blocks: new Map() });
  const { blocks } = unsynced.get(ino);
  for (let at = position - (position % BLOCK); at < position + length; at += BLOCK) {
    if (blocks.has(at)) continue;
    const block = Buffer.alloc(BLOCK);
    // Blocks beyond the end of the file stay zero.
    const read = real.openSync(`/proc/self/fd/${file}`, 'r');
    real.readSync(read, block, 0, BLOCK, at);
    real.closeSync(read);
    blocks.set(at, block);
  }
}

function failPower() {
  for (const name of real.readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    const stat = real.lstatSync(path);
    const lost = stat.isFile() ? unsynced.get(stat.ino) : undefined;
    if (!lost) continue;
    const file = real.openSync(path, 'r+');
    for (const [at, block] of lost.blocks) {
      if (at < stat.size && Math.random() < 0.5) {
        real.writeSync(file, block, 0, Math.min(BLOCK, stat.size - at), at);
      }
    }
    if (stat.size > lost.size && Math.random() < 0.5) real.ftruncateSync(file, lost.size);
    real.closeSync(file);
  }
  process.kill(process.pid, 'SIGKILL');
  // Block until the signal arrives, so that the engine runs no further instruction.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
