import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { expect, test, vi } from 'vitest';
import { syncedFolder } from '../../../host/db/synced-folder.mjs';

const COMMITS = 30;

/** Mirrors only synced files into a copy of the folder: what a disk is sure to have after a power cut. */
function mirrorSynced(folder: string, copy: string) {
  fs.cpSync(folder, copy, { recursive: true });
  const sync = fs.fdatasyncSync;
  return vi.spyOn(fs, 'fdatasyncSync').mockImplementation((file) => {
    sync(file);
    const path = fs.readlinkSync(`/proc/self/fd/${file}`);
    const target = join(copy, relative(folder, path));
    if (!fs.existsSync(path)) return;
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.copyFileSync(path, target);
  });
}

test('rows that the embedded database has committed are on disk, whatever else is lost', async () => {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'power-cut-')));
  const [folder, copy] = [join(root, 'database'), join(root, 'disk')];
  const made = await PGlite.create(syncedFolder(folder));
  await made.exec('create table answered (id int primary key, text text)');
  await made.close();

  const disk = mirrorSynced(folder, copy);
  const database = await PGlite.create(syncedFolder(folder));
  for (let id = 1; id <= COMMITS; id += 1) {
    await database.query('insert into answered values ($1, $2)', [id, 'x'.repeat(id * 10)]);
    if (id === COMMITS / 2) await database.exec('checkpoint');
  }
  disk.mockRestore();

  const found = await PGlite.create(syncedFolder(copy));
  const { rows } = await found.query<{ count: number }>('select count(*)::int as count from answered');
  expect(rows).toEqual([{ count: COMMITS }]);
  await found.close();
  await database.close();
  fs.rmSync(root, { recursive: true });
}, 90_000);
