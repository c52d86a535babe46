import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { firstCharacters } from '#contract/storable';
import type { LogoUpload, UploadTasks } from '#host/codes/upload-process';
import type { Deps } from '#host/http/deps';
import { invalidField, refusedByPool } from '#host/http/errors';
import { TaskKilled } from '#runtime/processes/pool-errors';
import { type Client, ProcessPool } from '#runtime/processes/process-pool';
import { isRaster, mayBeSvg } from './formats';
import { insertLogo } from './store';

const LOGO_PX = 512;
/** Lets photographs of good cameras pass, but no decompression bombs. */
const PIXEL_LIMIT = 30_000_000;

/** Re-encodes and stores an uploaded logo; returns its id. */
export async function storeLogo({ db, clock, log }: Deps, file: File, uploader: Uploader): Promise<string> {
  const id = randomUUID();
  await insertLogo(db.orm, { id, ...(await readLogo(file, uploader, log)), createdAt: clock.now() });
  return id;
}

/**
 * Decodes an uploaded logo and redraws it as a PNG of at most 512 pixels; none of the uploaded bytes are kept. Refuses
 * the field `logo` with what is wrong, and logs the details; throws `rate_limited` or `unavailable` if too many arrive
 * at once.
 */
export async function readLogo(
  file: File,
  uploader: Uploader,
  log: Logger,
  timeoutMs = TIMEOUT_MS,
): Promise<{ name: string; png: Uint8Array }> {
  const draw = (task: keyof typeof CPU_MS) => drawLogo(task, upload, uploader, { log, timeoutMs });
  const bytes = Buffer.from(await file.arrayBuffer());
  const upload = { bytes, edge: LOGO_PX, pixelLimit: PIXEL_LIMIT };
  const name = tidyName(file.name);
  if (bytes.byteLength === 0) throw invalidField('logo', 'logo_broken');
  if (isRaster(bytes)) return { name, png: await draw('redrawPicture') };
  if (!mayBeSvg(bytes)) throw invalidField('logo', 'logo_not_image');
  return { name, png: await draw('drawSvg') };
}

/** A display name, never a path: control characters and folders are dropped. */
function tidyName(name: string): string {
  const tidy = (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim();
  return firstCharacters(tidy || 'logo', 100);
}

/** Who uploaded the logo, and when the request is no longer waiting for it. */
export interface Uploader extends Client {
  signal?: AbortSignal | undefined;
}

const MEGABYTE = 1024 * 1024;
/** Ordinary drawings take tens of milliseconds; a photograph at the pixel limit takes longer. */
const CPU_MS = { drawSvg: 700, redrawPicture: 1_500 };
/** Much more, because other programs come first on a busy machine. */
const TIMEOUT_MS = 8_000;
const IDLE_MS = 60_000;

/** Logos are rare, so no process is kept running for them. */
const pool = new ProcessPool<UploadTasks>({
  built: 'build/host/codes/upload-process.js',
  source: 'host/codes/upload-process.ts',
  processes: 2,
  memoryBytes: 600 * MEGABYTE,
  retireBytes: 250 * MEGABYTE,
  queue: { perOwner: 4, perNetwork: 8, total: 32 },
  // A process that must start first takes seconds on a busy machine; with the time to draw, this stays below the
  // website's timeout for calls with a file.
  waitMs: 5_000,
  idleMs: IDLE_MS,
});

/** How busy the logo processes are. */
export const drawingLoad = () => pool.load();

/**
 * Redraws an upload as a PNG. Refuses the field `logo` with what is wrong, and logs the details; throws `rate_limited`
 * if the uploader has too many waiting already, and `unavailable` if all uploaders together have, or if the machine is
 * too busy.
 */
async function drawLogo(
  task: keyof typeof CPU_MS,
  upload: LogoUpload,
  { signal, ...client }: Uploader,
  { log, timeoutMs }: { log: Logger; timeoutMs: number },
): Promise<Uint8Array> {
  try {
    const drawn = await pool.run(task, upload, { client, cpuMs: CPU_MS[task], timeoutMs, signal });
    if (typeof drawn === 'string') throw invalidField('logo', drawn);
    if (!('broken' in drawn)) return drawn;
    log.warn({ reason: drawn.broken }, 'a logo could not be drawn');
    throw invalidField('logo', 'logo_broken');
  } catch (thrown) {
    const isKilled = thrown instanceof TaskKilled;
    if (isKilled) log.warn({ err: thrown }, 'a logo was given up: too much time or memory');
    throw refusedByPool(thrown) ?? (isKilled ? invalidField('logo', 'logo_too_complex') : thrown);
  }
}
