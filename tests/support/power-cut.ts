import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundledProgram } from './bundled-program';

/** Writes numbers into the database of a folder. */
export const LEDGER_WRITER = 'tests/support/ledger-writer.ts';

/**
 * Lets a process write numbers into the database of a folder and takes its power after so many writes to the disk.
 * Resolves with the last number that was committed before; 0 when there was none.
 */
export async function cutPower(folder: string, writes: number): Promise<number> {
  const args = ['--import', './tests/support/lazy-disk.mjs', ...bundledProgram(LEDGER_WRITER), folder];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, LAZY_DISK: folder, LAZY_DISK_WRITES: String(writes) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let committed = 0;
  const said: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    committed = Number(line);
  });
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${said.join('').slice(-2_000)}`);
  return committed;
}
