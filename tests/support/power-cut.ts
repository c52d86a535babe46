import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundledProgram } from './bundled-program';

/** Program that writes numbers into the database of a folder. */
export const LEDGER_WRITER = 'tests/support/ledger-writer.ts';

/**
 * Lets a process write numbers into the database of a folder and simulates a power failure after this many
 * disk writes. Resolves with the last number that was committed before it, or 0 if there was none.
 */
export async function cutPower(folder: string, writes: number): Promise<number> {
  const args = ['--import', './tests/support/lazy-disk.mjs', ...bundledProgram(LEDGER_WRITER), folder];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, LAZY_DISK: folder, LAZY_DISK_WRITES: String(writes) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let committed = 0;
  const stderr: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    committed = Number(line);
  });
  child.stderr.on('data', (chunk) => stderr.push(String(chunk)));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${stderr.join('').slice(-2_000)}`);
  return committed;
}
