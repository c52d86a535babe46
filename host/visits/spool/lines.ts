import { crc32 } from 'node:zlib';
import { areVisits, type Batch } from '#host/visits/count/journal';

const LINE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}) (\d+) (\d+) (\d+) (.*)$/s;
const LARGEST_INTEGER = 2 ** 31 - 1;
const END_OF_YEAR_9999 = Date.UTC(10_000, 0) - 1;

/** A batch as one line: a checksum of the rest, the batch's fields and its visits, which are JSON. */
export function writeLine({ lane, number, size, at, visits }: Batch): string {
  const text = `${lane} ${number} ${size} ${at} ${visits}`;
  return `${checksum(text)} ${text}\n`;
}

/** The batch of a line; `damaged` if its checksum is wrong, and `unknown` if it is right, but the rest makes no batch. */
export function readLine(line: string): Batch | 'damaged' | 'unknown' {
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
