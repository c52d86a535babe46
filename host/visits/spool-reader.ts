import type { Logger } from 'pino';
import type { Batch } from './journal';
import { joinVisits } from './journal';
import { readLine, readPart, remove, type SpoolFile } from './spool-files';

/** Batches of one lane with consecutive numbers, which can be sent together. */
export interface Parcel {
  parts: Batch[];
  /** All of them as one. */
  whole: Batch;
  /** They are in the database: they are left behind. */
  done(): void;
}

interface Line {
  batch: Batch | null;
  /** Where the next one begins. */
  end: number;
}

const PARCEL_VISITS = 1_000;
const PART_BYTES = 256 * 1024;

/**
 * Reads the files of the spool from the oldest on, a part at a time, so that a long outage fills no memory. A line that
 * is damaged is left out, a last one that was not finished is none.
 */
export function createSpoolReader(log: Logger) {
  const files: SpoolFile[] = [];
  /** Batches somebody is sending, or has sent, by lane and number. */
  const held = new Map<string, 'sending' | 'sent'>();
  /** What could not be written. */
  const kept: Batch[] = [];
  /** The lines that were read and not sent, of the file they are from. */
  let ahead: Line[] = [];
  let reading: SpoolFile | undefined;
  let changed = () => {};

  /** The first to be sent, or the last; false where it is known already. */
  function add(file: SpoolFile, place: 'first' | 'last'): boolean {
    if (files.some(({ path }) => path === file.path)) return false;
    if (place === 'first') files.unshift(file);
    else files.push(file);
    return true;
  }

  function forget(file: SpoolFile): void {
    files.splice(files.indexOf(file), 1);
  }

  async function next(): Promise<Parcel | null> {
    for (;;) {
      await removeSent();
      const file = files.find(({ sent, bytes }) => sent < bytes);
      if (!file) return nextKept();
      if (file !== reading) ahead = [];
      reading = file;
      if (ahead.length === 0) ahead = await readLines(file);
      while (ahead[0] && isOver(ahead[0])) file.sent = ahead.shift()?.end ?? file.sent;
      if (ahead.length === 0) continue;
      const lines = takeTogether();
      if (lines.length > 0) return parcelOf(file, lines);
      await new Promise<void>((go) => {
        changed = go;
      });
    }
  }

  async function removeSent(): Promise<void> {
    for (const file of files.filter(({ sent, bytes, isOpen }) => sent >= bytes && !isOpen)) {
      forget(file);
      await remove(file);
    }
  }

  function nextKept(): Parcel | null {
    const [batch] = kept;
    if (!batch) return null;
    held.delete(keyOf(batch));
    return { parts: [batch], whole: batch, done: () => kept.shift() };
  }

  function isOver({ batch }: Line): boolean {
    if (batch === null) return true;
    if (held.get(keyOf(batch)) !== 'sent') return false;
    held.delete(keyOf(batch));
    return true;
  }

  /** The first lines that can be sent together; none while the first is being sent. */
  function takeTogether(): Line[] {
    const taken: Line[] = [];
    let size = 0;
    let last: Batch | undefined;
    for (const line of ahead) {
      const { batch } = line;
      if (batch === null || held.has(keyOf(batch))) break;
      if (last && (batch.lane !== last.lane || batch.number !== last.number + 1)) break;
      if (last && size + batch.size > PARCEL_VISITS) break;
      size += batch.size;
      last = batch;
      taken.push(line);
    }
    return taken;
  }

  function parcelOf(file: SpoolFile, lines: Line[]): Parcel {
    const parts = lines.flatMap(({ batch }) => batch ?? []);
    return {
      parts,
      whole: joined(parts),
      done: () => {
        file.sent = lines.at(-1)?.end ?? file.sent;
        ahead.splice(0, lines.length);
      },
    };
  }

  async function readLines(file: SpoolFile): Promise<Line[]> {
    for (let bytes = PART_BYTES; ; bytes *= 4) {
      const left = file.bytes - file.sent;
      const part = await readPart(file, file.sent, Math.min(bytes, left));
      if (!part) {
        file.sent = file.bytes;
        return [];
      }
      const isLast = part.length >= left || part.length < Math.min(bytes, left);
      const end = part.lastIndexOf('\n') + 1;
      if (end > 0) return parse(file, part.subarray(0, end));
      if (isLast) {
        log.warn(
          { file: file.path, bytes: left },
          'the end of a spool file was never written whole and is left out',
        );
        file.sent = file.bytes;
        return [];
      }
    }
  }

  function parse(file: SpoolFile, part: Buffer): Line[] {
    const lines: Line[] = [];
    for (let from = 0; from < part.length; ) {
      const end = part.indexOf('\n', from) + 1;
      const batch = readLine(part.toString('utf8', from, end - 1));
      if (!batch) {
        const at = file.sent + from;
        log.error({ file: file.path, at, bytes: end - from }, 'a damaged line of the spool is left out');
      }
      lines.push({ batch, end: file.sent + end });
      from = end;
    }
    return lines;
  }

  return {
    files: files as readonly SpoolFile[],
    add,
    forget,
    next,
    /** Bytes in files, those of them that are not sent, and in memory. */
    bytes: () => ({
      written: files.reduce((sum, { bytes }) => sum + bytes, 0),
      unsent: files.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0),
      kept: kept.reduce((sum, { visits }) => sum + visits.length, 0),
    }),
    keep: (batch: Batch) => {
      kept.push(batch);
    },
    hold: (batch: Batch) => {
      held.set(keyOf(batch), 'sending');
    },
    sent: (batch: Batch) => {
      if (held.has(keyOf(batch))) held.set(keyOf(batch), 'sent');
      changed();
    },
    /** False where it never was in the spool. */
    release: (batch: Batch): boolean => {
      const wasHeld = held.delete(keyOf(batch));
      changed();
      return wasHeld;
    },
  };
}

function keyOf({ lane, number }: Batch): string {
  return `${lane} ${number}`;
}

function joined(parts: Batch[]): Batch {
  const [first] = parts as [Batch];
  const last = parts.at(-1) ?? first;
  if (first === last) return first;
  return {
    lane: first.lane,
    number: last.number,
    size: parts.reduce((sum, { size }) => sum + size, 0),
    at: first.at,
    visits: joinVisits(parts.map(({ visits }) => visits)),
  };
}
