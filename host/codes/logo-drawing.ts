import type { Logger } from 'pino';
import { ApiError, invalidField } from '#host/http/errors';
import { PoolRefusal, TaskKilled } from '#processes/pool-errors';
import { type Client, createProcessPool } from '#processes/process-pool';
import type { LogoTasks, Upload } from './logo-process';

/** Whose logo it is, and when nobody waits for it any more. */
export interface Uploader extends Client {
  signal?: AbortSignal | undefined;
}

const MEGABYTE = 1024 * 1024;
/** Ordinary drawings take some hundredths of a second; a photograph with as many pixels as may be takes longer. */
const CPU_MS = { drawSvg: 500, redrawPicture: 1_500 };
const WITHIN_MS = 2_000;
const IDLE_MS = 60_000;

/** Most of a host's life goes without logos, so that no process is kept for them. */
const pool = createProcessPool<LogoTasks>({
  built: 'build/host/codes/logo-process.js',
  source: 'host/codes/logo-process.ts',
  processes: 2,
  memoryBytes: 600 * MEGABYTE,
  retireBytes: 250 * MEGABYTE,
  queue: { perOwner: 4, perAddress: 8, total: 32 },
  // With the drawing less than the time the website has for all its calls.
  waitMs: 2_300,
  idleMs: IDLE_MS,
});

/** How busy the processes are that draw logos. */
export const drawingLoad = pool.load;

/**
 * Draws an upload anew as a PNG. Refuses the field `logo` with `logo_broken`, `logo_too_many_pixels` or
 * `logo_too_complex`, of which the log says what the code does not; throws `rate_limited` when the uploader has too
 * many waiting already, and `unavailable` when all together have.
 */
export async function drawLogo(
  task: keyof LogoTasks,
  upload: Upload,
  { signal, ...client }: Uploader,
  log: Logger,
): Promise<Uint8Array> {
  try {
    const drawn = await pool.run(task, upload, {
      client,
      cpuMs: CPU_MS[task],
      withinMs: WITHIN_MS,
      signal,
    });
    if (typeof drawn === 'string') throw invalidField('logo', drawn);
    if (!('broken' in drawn)) return drawn;
    log.warn({ reason: drawn.broken }, 'a logo could not be drawn');
    throw invalidField('logo', 'logo_broken');
  } catch (thrown) {
    if (thrown instanceof PoolRefusal) {
      const { reason, retryAfterSeconds } = thrown;
      throw new ApiError(reason === 'client' ? 'rate_limited' : 'unavailable', { retryAfterSeconds });
    }
    if (!(thrown instanceof TaskKilled)) throw thrown;
    log.warn({ err: thrown }, 'a logo was given up: too much time or memory');
    throw invalidField('logo', 'logo_too_complex');
  }
}
