import { crc32 } from 'node:zlib';
import type { Batch } from './batch';

/** A batch as one line of the spool: a checksum of the rest, what the batch is, and its visits, which are JSON. */
export function writeLine({ lane, number, size, at, visits }: Batch): string {
  const text = `${lane} ${number} ${size} ${at} ${visits}`;
  return `${checksum(text)} ${text}\n`;
}

/** The batch of a line; null where the line is not what was written. */
export function readLine(line: string): Batch | null {
  const [, sum, text = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  if (sum !== checksum(text)) return null;
  const [, lane = '', number, size, at, visits = ''] = /^(\S+) (\d+) (\d+) (-?\d+) (.*)$/s.exec(text) ?? [];
  return { lane, number: Number(number), size: Number(size), at: Number(at), visits };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
