import type { Logger } from 'pino';
import type { Batch } from '#host/visits/count/journal';
import { joinVisits } from '#host/visits/count/journal';
import { extend, OWN, remove, type SpoolFile } from './files';
import { readNextLines, type SpoolLine } from './lines';
import { UnwrittenBatches } from './unwritten';

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

const CHUNK_VISITS = 1_000;
/** How long the files of a process wait if one of them could not be read. */
const UNREADABLE_RETRY_MS = 60_000;

/**
 * Reads the spool files, oldest first, a piece at a time, so that a long outage does not fill the memory; then the
 * batches that could not be written. Damaged lines and an unfinished last line are skipped.
 */
export class SpoolReader {
  readonly #log: Logger;
  readonly #files: SpoolFile[] = [];
  /** How many of them were left by earlier processes: they come first, in the order in which they were written. */
  #abandonedCount = 0;
  /** Files that were sent and could not be removed. */
  readonly #unremovable = new Set<string>();
  /** Until when the files of a process wait after an unreadable one, which later files must not overtake. */
  readonly #asideUntil = new Map<string, number>();
  /** Batches that the recorder is sending or has sent itself, by lane and number. */
  readonly #held = new Map<string, 'sending' | 'sent'>();
  #onHeldChange = () => {};
  readonly #unwritten = new UnwrittenBatches();
  /** Lines of `#reading` that were read but not sent. */
  #lines: SpoolLine[] = [];
  #reading: SpoolFile | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  get files(): readonly SpoolFile[] {
    return this.#files;
  }

  /** Adds a file as the last of those that were left, or of all. False if it was added before. */
  add(file: SpoolFile, place: 'left' | 'last'): boolean {
    if (this.#unremovable.has(file.path) || this.#files.some(({ path }) => path === file.path)) return false;
    if (place === 'left') this.#files.splice(this.#abandonedCount++, 0, file);
    else this.#files.push(file);
    return true;
  }

  forget(file: SpoolFile): void {
    const index = this.#files.indexOf(file);
    if (index < 0) return;
    if (index < this.#abandonedCount) this.#abandonedCount -= 1;
    this.#files.splice(index, 1);
  }

  bytes(): { written: number; unsent: number; unwritten: number } {
    return {
      written: this.#files.reduce((sum, { bytes }) => sum + bytes, 0),
      unsent: this.#files.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0),
      unwritten: this.#unwritten.bytes,
    };
  }

  unwrittenVisits(): number {
    return this.#unwritten.visits;
  }

  addUnwritten(batch: Batch): void {
    this.#unwritten.add(batch);
  }

  /** The first of what could not be written, up to so many bytes or a single one. */
  firstUnwritten(bytes: number): Batch[] {
    return this.#unwritten.first(bytes);
  }

  /** For batches that were written or sent. Those that were both in the meantime need not be sent again. */
  forgetUnwritten(batches: Batch[]): void {
    for (const batch of batches) if (!this.#unwritten.delete(batch)) this.#held.set(keyOf(batch), 'sent');
  }

  hold(batch: Batch): void {
    this.#held.set(keyOf(batch), 'sending');
  }

  /** False if it was not in the spool. */
  sent(batch: Batch): boolean {
    const wasHeld = this.#held.has(keyOf(batch));
    if (wasHeld) this.#held.set(keyOf(batch), 'sent');
    this.#onHeldChange();
    return wasHeld;
  }

  /** False if it was not in the spool. */
  release(batch: Batch): boolean {
    const wasHeld = this.#held.delete(keyOf(batch));
    this.#onHeldChange();
    return wasHeld;
  }

  async next(): Promise<SpoolChunk | null> {
    for (;;) {
      await this.#removeSent();
      const file = this.#files.find((candidate) => isUnsent(candidate) && !this.#isAside(candidate));
      if (!file) {
        const [batch] = this.#unwritten;
        // What was written before it comes first.
        if (!batch || this.#files.some((other) => isUnsent(other) && other.program === OWN)) return null;
        if (this.#wasSent(batch)) this.forgetUnwritten([batch]);
        else if (this.#held.has(keyOf(batch))) await this.#heldChange();
        else return this.#chunkOfUnwritten();
        continue;
      }
      await this.#readFrom(file);
      if (this.#lines.length === 0) continue;
      const sendable = this.#findSendable(batchesOf(this.#lines));
      if (sendable.length > 0) return this.#chunkOf(file, sendable);
      await this.#heldChange();
    }
  }

  /** Continues with the lines of a file that still have to be sent. */
  async #readFrom(file: SpoolFile): Promise<void> {
    if (file !== this.#reading) this.#lines = [];
    this.#reading = file;
    if (this.#lines.length === 0)
      this.#lines = await readNextLines(file, this.#log).catch((error) => this.#setAside(file, error));
    while (this.#lines[0] && this.#canSkip(this.#lines[0])) file.sent = this.#lines.shift()?.end ?? file.sent;
  }

  #heldChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#onHeldChange = resolve;
    });
  }

  async #removeSent(): Promise<void> {
    for (const file of this.#files.filter((candidate) => !isUnsent(candidate) && !candidate.isOpen)) {
      if (file.program !== OWN && (await extend(file))) continue;
      this.forget(file);
      await file.handle?.close();
      if (!(await remove(file, this.#log))) this.#unremovable.add(file.path);
    }
  }

  #isAside({ program }: SpoolFile): boolean {
    return performance.now() < (this.#asideUntil.get(program) ?? 0);
  }

  #setAside(file: SpoolFile, error: unknown): SpoolLine[] {
    this.#log.error(
      { err: error, file: file.path },
      'a spool file cannot be read, will be retried in a minute',
    );
    this.#asideUntil.set(file.program, performance.now() + UNREADABLE_RETRY_MS);
    return [];
  }

  #canSkip({ batch }: SpoolLine): boolean {
    return batch === null || this.#wasSent(batch);
  }

  #wasSent(batch: Batch): boolean {
    return this.#held.get(keyOf(batch)) === 'sent' && this.#held.delete(keyOf(batch));
  }

  /** The first batches that can be sent together; none while the recorder is sending the first. */
  #findSendable(batches: Iterable<Batch | null>): Batch[] {
    const sendable: Batch[] = [];
    let size = 0;
    let last: Batch | undefined;
    for (const batch of batches) {
      if (batch === null || this.#held.has(keyOf(batch))) break;
      if (last && (batch.lane !== last.lane || batch.number !== last.number + 1)) break;
      if (last && size + batch.size > CHUNK_VISITS) break;
      size += batch.size;
      last = batch;
      sendable.push(batch);
    }
    return sendable;
  }

  #chunkOf(file: SpoolFile, batches: Batch[]): SpoolChunk {
    return {
      batches,
      merged: merge(batches),
      isAbandoned: file.program !== OWN,
      acknowledge: () => {
        for (const { end } of this.#lines.splice(0, batches.length)) file.sent = end;
      },
    };
  }

  #chunkOfUnwritten(): SpoolChunk {
    const batches = this.#findSendable(this.#unwritten);
    return {
      batches,
      merged: merge(batches),
      isAbandoned: false,
      acknowledge: () => this.forgetUnwritten(batches),
    };
  }
}

function* batchesOf(lines: SpoolLine[]): Iterable<Batch | null> {
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
