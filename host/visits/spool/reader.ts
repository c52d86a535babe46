import type { Logger } from 'pino';
import type { Batch } from '#host/visits/count/journal';
import { joinVisits } from '#host/visits/count/journal';
import { extend, keepLines, OWN, readPart, remove, type SpoolFile } from './files';
import { readLine } from './lines';

/** Batches of one lane with consecutive numbers, which can be sent together. */
export interface SpoolChunk {
  batches: Batch[];
  /** All of them as one batch. */
  merged: Batch;
  /** Whether another process wrote them. */
  isAbandoned: boolean;
  /** To be called once they are in the database: the reader moves on. */
  acknowledge(): void;
}

export type SpoolReader = ReturnType<typeof createSpoolReader>;

interface Line {
  batch: Batch | null;
  /** Where the next one begins. */
  end: number;
}

const CHUNK_VISITS = 1_000;
const READ_BYTES = 256 * 1024;
/** How long the files of a process wait if one of them could not be read. */
const UNREADABLE_RETRY_MS = 60_000;

/**
 * Reads the spool files, oldest first, a piece at a time, so that a long outage does not fill the memory. Damaged lines
 * and an unfinished last line are skipped.
 */
export function createSpoolReader(log: Logger) {
  const files: SpoolFile[] = [];
  /** How many of them were left by earlier processes: they come first, in the order in which they were written. */
  let abandonedCount = 0;
  /** Files that were sent and could not be removed. */
  const unremovable = new Set<string>();
  /** Until when the files of a process wait after an unreadable one, which later files must not overtake. */
  const asideUntil = new Map<string, number>();
  /** Batches that the recorder is sending or has sent itself, by lane and number. */
  const held = new Map<string, 'sending' | 'sent'>();
  /** Batches that could not be written to disk. */
  const unwritten = new Set<Batch>();
  let unwrittenBytes = 0;
  let unwrittenVisits = 0;
  /** Lines of `reading` that were read but not sent. */
  let lines: Line[] = [];
  let reading: SpoolFile | undefined;
  let onHeldChange = () => {};

  /** Adds a file as the last of those that were left, or of all. False if it was added before. */
  function add(file: SpoolFile, place: 'left' | 'last'): boolean {
    if (unremovable.has(file.path) || files.some(({ path }) => path === file.path)) return false;
    if (place === 'left') files.splice(abandonedCount++, 0, file);
    else files.push(file);
    return true;
  }

  function forget(file: SpoolFile): void {
    const index = files.indexOf(file);
    if (index < 0) return;
    if (index < abandonedCount) abandonedCount -= 1;
    files.splice(index, 1);
  }

  async function next(): Promise<SpoolChunk | null> {
    for (;;) {
      await removeSent();
      const file = files.find((candidate) => isUnsent(candidate) && !isAside(candidate));
      if (!file) {
        const [batch] = unwritten;
        // What was written before it comes first.
        if (!batch || files.some((other) => isUnsent(other) && other.program === OWN)) return null;
        if (wasSent(batch)) forgetUnwritten([batch]);
        else if (held.has(keyOf(batch))) await heldChange();
        else return chunkOfUnwritten(findSendable(unwritten));
        continue;
      }
      if (file !== reading) lines = [];
      reading = file;
      if (lines.length === 0) lines = await readLines(file).catch((error) => setAside(file, error));
      while (lines[0] && canSkip(lines[0])) file.sent = lines.shift()?.end ?? file.sent;
      if (lines.length === 0) continue;
      const sendable = findSendable(batchesOf(lines));
      if (sendable.length > 0) return chunkOf(file, sendable);
      await heldChange();
    }
  }

  function heldChange(): Promise<void> {
    return new Promise((resolve) => {
      onHeldChange = resolve;
    });
  }

  async function removeSent(): Promise<void> {
    for (const file of files.filter((candidate) => !isUnsent(candidate) && !candidate.isOpen)) {
      if (file.program !== OWN && (await extend(file))) continue;
      forget(file);
      await file.handle?.close();
      if (!(await remove(file, log))) unremovable.add(file.path);
    }
  }

  function isAside({ program }: SpoolFile): boolean {
    return performance.now() < (asideUntil.get(program) ?? 0);
  }

  function setAside(file: SpoolFile, error: unknown): Line[] {
    log.error({ err: error, file: file.path }, 'a spool file cannot be read, will be retried in a minute');
    asideUntil.set(file.program, performance.now() + UNREADABLE_RETRY_MS);
    return [];
  }

  function chunkOfUnwritten(batches: Batch[]): SpoolChunk {
    return {
      batches,
      merged: merge(batches),
      isAbandoned: false,
      acknowledge: () => forgetUnwritten(batches),
    };
  }

  function addUnwritten(batch: Batch): void {
    unwritten.add(batch);
    unwrittenBytes += batch.visits.length;
    unwrittenVisits += batch.size;
  }

  /** The first of what could not be written, up to so many bytes or a single one. */
  function firstUnwritten(bytes: number): Batch[] {
    const batches: Batch[] = [];
    let size = 0;
    for (const batch of unwritten) {
      size += batch.visits.length;
      if (size > bytes && batches.length > 0) break;
      batches.push(batch);
    }
    return batches;
  }

  /** For batches that were written or sent. Those that were both in the meantime need not be sent again. */
  function forgetUnwritten(batches: Batch[]): void {
    for (const batch of batches) {
      if (!unwritten.delete(batch)) {
        held.set(keyOf(batch), 'sent');
        continue;
      }
      unwrittenBytes -= batch.visits.length;
      unwrittenVisits -= batch.size;
    }
  }

  function canSkip({ batch }: Line): boolean {
    return batch === null || wasSent(batch);
  }

  function wasSent(batch: Batch): boolean {
    return held.get(keyOf(batch)) === 'sent' && held.delete(keyOf(batch));
  }

  /** The first batches that can be sent together; none while the recorder is sending the first. */
  function findSendable(batches: Iterable<Batch | null>): Batch[] {
    const sendable: Batch[] = [];
    let size = 0;
    let last: Batch | undefined;
    for (const batch of batches) {
      if (batch === null || held.has(keyOf(batch))) break;
      if (last && (batch.lane !== last.lane || batch.number !== last.number + 1)) break;
      if (last && size + batch.size > CHUNK_VISITS) break;
      size += batch.size;
      last = batch;
      sendable.push(batch);
    }
    return sendable;
  }

  function chunkOf(file: SpoolFile, batches: Batch[]): SpoolChunk {
    return {
      batches,
      merged: merge(batches),
      isAbandoned: file.program !== OWN,
      acknowledge: () => {
        for (const { end } of lines.splice(0, batches.length)) file.sent = end;
      },
    };
  }

  async function readLines(file: SpoolFile): Promise<Line[]> {
    for (let bytes = READ_BYTES; ; bytes *= 4) {
      const remaining = file.bytes - file.sent;
      const part = await readPart(file, file.sent, Math.min(bytes, remaining));
      if (!part) {
        file.sent = file.bytes;
        return [];
      }
      const isLast = part.length >= remaining || part.length < Math.min(bytes, remaining);
      const end = part.lastIndexOf('\n') + 1;
      if (end > 0) return await parse(file, part.subarray(0, end));
      if (isLast) {
        log.warn({ file: file.path, bytes: remaining }, 'skipped the unfinished end of a spool file');
        file.bytes = file.sent;
        return [];
      }
    }
  }

  /** Rejects if lines that this release cannot read cannot be kept. */
  async function parse(file: SpoolFile, part: Buffer): Promise<Line[]> {
    const parsed: Line[] = [];
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

  return {
    files: files as readonly SpoolFile[],
    add,
    forget,
    next,
    bytes: () => ({
      written: files.reduce((sum, { bytes }) => sum + bytes, 0),
      unsent: files.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0),
      unwritten: unwrittenBytes,
    }),
    unwrittenVisits: () => unwrittenVisits,
    addUnwritten,
    firstUnwritten,
    forgetUnwritten,
    hold: (batch: Batch) => {
      held.set(keyOf(batch), 'sending');
    },
    /** False if it was not in the spool. */
    sent: (batch: Batch): boolean => {
      const wasHeld = held.has(keyOf(batch));
      if (wasHeld) held.set(keyOf(batch), 'sent');
      onHeldChange();
      return wasHeld;
    },
    /** False if it was not in the spool. */
    release: (batch: Batch): boolean => {
      const wasHeld = held.delete(keyOf(batch));
      onHeldChange();
      return wasHeld;
    },
  };
}

function* batchesOf(lines: Line[]): Iterable<Batch | null> {
  for (const { batch } of lines) yield batch;
}

function isUnsent({ sent, bytes }: SpoolFile): boolean {
  return sent < bytes;
}

function keyOf({ lane, number }: Batch): string {
  return `${lane} ${number}`;
}

function merge(batches: Batch[]): Batch {
  const [first] = batches as [Batch];
  const last = batches.at(-1) ?? first;
  if (first === last) return first;
  return {
    lane: first.lane,
    number: last.number,
    size: batches.reduce((sum, { size }) => sum + size, 0),
    at: first.at,
    visits: joinVisits(batches.map(({ visits }) => visits)),
  };
}
