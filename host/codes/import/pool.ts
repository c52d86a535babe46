import type { Logger } from 'pino';
import type { Uploader } from '#host/codes/logos/images';
import type { UploadTasks } from '#host/codes/upload-process';
import { invalidField, type MessageCode, refusedByPool } from '#host/http/errors';
import { TaskKilled } from '#runtime/processes/pool-errors';
import { ProcessPool } from '#runtime/processes/process-pool';
import type { ImportInput, ReadImport } from './report';
import { FileRefused } from './text';

const MEGABYTE = 1024 * 1024;
/** The largest ordinary file takes less than a second of a processor. */
const LIMITS = { cpuMs: 3_000, timeoutMs: 8_000 };

/** One process, so that imports leave the other cores to visits, and of its own, so that no logo waits for a file. */
const pool = new ProcessPool<UploadTasks>({
  built: 'build/host/codes/upload-process.js',
  source: 'host/codes/upload-process.ts',
  processes: 1,
  memoryBytes: 600 * MEGABYTE,
  retireBytes: 250 * MEGABYTE,
  queue: { perOwner: 2, perNetwork: 4, total: 16 },
  // With the times to read a file and to store its rows, this stays below the website's timeout for calls with a file.
  waitMs: 10_000,
  idleMs: 60_000,
  errors: [FileRefused],
});

/** How busy the process that reads files is. */
export const importLoad = () => pool.load();

/**
 * Reads a file in a process of its own. Refuses the field `file` if it is no table that can be imported, or with
 * `import_too_complex`; throws `rate_limited` if the account has too many waiting already, and `unavailable` if all
 * accounts together have, or if the machine is too busy.
 */
export async function readUploadedImport(
  input: ImportInput,
  { signal, ...client }: Uploader,
  log: Logger,
  limits = LIMITS,
): Promise<ReadImport> {
  try {
    return await pool.run('readImport', input, { client, signal, ...limits });
  } catch (thrown) {
    if (thrown instanceof FileRefused) throw invalidField('file', thrown.message as MessageCode);
    const isKilled = thrown instanceof TaskKilled;
    if (isKilled) log.warn({ err: thrown }, 'a file to import was given up: too much time or memory');
    throw refusedByPool(thrown) ?? (isKilled ? invalidField('file', 'import_too_complex') : thrown);
  }
}
