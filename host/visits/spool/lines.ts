import { crc32 } from 'node:zlib';
import type { Logger } from 'pino';
import { areVisits, type Batch } from '#host/visits/count/journal';
import { keepLines, readPart, type SpoolFile } from './files';

export interface SpoolLine {
  /** Null if the line is damaged or cannot be read by this release. */
  batch: Batch | null;
  /** Where the next one begins. */
  end: number;
}

const LINE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}) (\d+) (\d+) (\d+) (.*)$/s;
const LARGEST_INTEGER = 2 ** 31 - 1;
const END_OF_YEAR_9999 = Date.UTC(10_000, 0) - 1;
const READ_BYTES = 256 * 1024;

/** A batch as one line: a checksum of the rest, the batch's fields and its visits, which are JSON. */
export function writeLine({ lane, number, size, at, visits }: Batch): string {
  const text = `${lane} ${number} ${size} ${at} ${visits}`;
  return `${checksum(text)} ${text}\n`;
}

/** The batch of a line; `damaged` if its checksum is wrong, and `unknown` if it is right, but the rest makes no batch. */
function readLine(line: string): Batch | 'damaged' | 'unknown' {
  const [, sum, text = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  if (sum !== checksum(text)) return 'damaged';
  const [, lane, number, size, at, visits] = LINE.exec(text) ?? [];
  if (!lane || !visits) return 'unknown';
  const batch = { lane, number: Number(number), size: Number(size), at: Number(at), visits };
  return isStorable(batch) ? batch : 'unknown';
}

/** Whether the database takes it: one that it always refuses would block all those behind it. */
function isStorable({ number, size, at, visits }: Batch): boolean {
  const isNumbered = Number.isSafeInteger(number) && size > 0 && size <= LARGEST_INTEGER;
  return isNumbered && at <= END_OF_YEAR_9999 && areVisits(visits);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** The next lines of a file that are not sent. The file ends here if the rest is unfinished, or gone. */
export async function readNextLines(file: SpoolFile, log: Logger): Promise<SpoolLine[]> {
  for (let bytes = READ_BYTES; ; bytes *= 4) {
    const remaining = file.bytes - file.sent;
    const part = await readPart(file, file.sent, Math.min(bytes, remaining));
    if (!part) {
      file.sent = file.bytes;
      return [];
    }
    const isLast = part.length >= remaining || part.length < Math.min(bytes, remaining);
    const end = part.lastIndexOf('\n') + 1;
    if (end > 0) return await parseLines(file, part.subarray(0, end), log);
    if (isLast) {
      log.warn({ file: file.path, bytes: remaining }, 'skipped the unfinished end of a spool file');
      file.bytes = file.sent;
      return [];
    }
  }
}

/** Rejects if lines that this release cannot read cannot be kept. */
async function parseLines(file: SpoolFile, part: Buffer, log: Logger): Promise<SpoolLine[]> {
  const parsed: SpoolLine[] = [];
  const unknown: Buffer[] = [];
  for (let from = 0; from < part.length; ) {
    const end = part.indexOf('\n', from) + 1;
    const batch = readLine(part.toString('utf8', from, end - 1));
    const place = { file: file.path, at: file.sent + from, bytes: end - from };
    if (batch === 'damaged') log.error(place, 'skipped a damaged line of the spool');
    if (batch === 'unknown') unknown.push(part.subarray(from, end));
    parsed.push({ batch: typeof batch === 'string' ? null : batch, end: file.sent + end });
    from = end;
  }
  if (unknown.length > 0) {
    const keptIn = await keepLines(file, unknown);
    const lost = { file: file.path, lines: unknown.length, keptIn };
    log.error(lost, 'visits of the spool are written in an unknown way: they are kept, but not counted');
  }
  return parsed;
}
