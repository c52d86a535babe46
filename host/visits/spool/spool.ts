import { randomUUID } from 'node:crypto';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import type { Batch } from '#host/visits/count/journal';
import { createRepeatedError, type RepeatedError } from '#runtime/log';
import { writeLine } from './lines';
import { type SpoolChunk, SpoolReader } from './reader';
import { SpoolWriter } from './writer';

interface Waiting {
  batch: Batch;
  line: Buffer;
  done: () => void;
}

const FILE_BYTES = 16 * 1024 * 1024;
/** Limit of visits in memory that could not be written to disk. */
const UNWRITTEN_BYTES = 64 * 1024 * 1024;
/** How much of it is written at once when the disk takes something again, and as an attempt whether it does. */
const REWRITE_BYTES = 1024 * 1024;
const ATTEMPT_BYTES = 16 * 1024;
/** How soon that is tried again if no visits arrive, which try it too. */
const REWRITE_MS = 1_000;
/** How long closing waits for the disk. */
const CLOSE_TIMEOUT_MS = 500;

/**
 * Visits on disk that were acknowledged but are not in the database yet.
 *
 * Append-only files of lines, written and synced in groups; if the disk is full, in space that was reserved. What cannot
 * be written is kept in memory, so that visits are answered all the same, and written later; beyond the limits it is
 * dropped.
 */
export class Spool {
  readonly #maxBytes: number;
  readonly #log: Deps['log'];
  readonly #reader: SpoolReader;
  readonly #writer: SpoolWriter;
  readonly #writeError: RepeatedError;
  readonly #fullError: RepeatedError;
  #lane = newLane();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #writing = Promise.resolve();
  /** Since the last write failed, everything goes to memory first, so that nothing overtakes what failed. */
  #hasFailed = false;
  #isClosed = false;
  #rewriteTimer: NodeJS.Timeout | undefined;
  #lost = 0;
  /** Visits of this process that are not sent, and how many of them wait for the disk. */
  #unsent = 0;
  #pending = 0;

  constructor({ visits, log }: Pick<Deps, 'visits' | 'log'>) {
    this.#maxBytes = visits.spoolBytes;
    this.#log = log;
    this.#reader = new SpoolReader(log);
    const fileBytes = Math.floor(Math.min(FILE_BYTES, visits.spoolBytes / 4));
    this.#writer = new SpoolWriter(visits.folder, fileBytes, this.#reader, log);
    this.#writeError = createRepeatedError(log, 'the spool cannot be written: visits are kept in memory');
    this.#fullError = createRepeatedError(
      log,
      'the spool is full: visits were answered but will not be counted',
      'visits',
    );
  }

  /** Writes visits to disk, to be sent from there. Resolves when they are synced; never rejects. */
  add(unnumbered: Omit<Batch, 'lane' | 'number'>): Promise<void> {
    const batch = { ...unnumbered, lane: this.#lane.id, number: this.#lane.number + 1 };
    const line = Buffer.from(writeLine(batch));
    if (line.length > this.#spaceLeft()) return this.#drop(batch.size);
    this.#lane.number += 1;
    return this.#write(batch, line);
  }

  /** The same for a batch that the caller is still sending; `sent` or `release` must follow. */
  hold(batch: Batch): Promise<void> {
    const line = Buffer.from(writeLine(batch));
    if (line.length > this.#spaceLeft()) return Promise.resolve();
    this.#reader.hold(batch);
    return this.#write(batch, line);
  }

  sent(batch: Batch): void {
    if (this.#reader.sent(batch)) this.#unsent -= batch.size;
  }

  /** The caller failed to send it: it is sent from the spool. */
  release(batch: Batch): void {
    if (!this.#reader.release(batch)) this.#drop(batch.size);
  }

  /** The next batches to send, oldest first; null if there are none. */
  async next(): Promise<SpoolChunk | null> {
    const chunk = await this.#reader.next();
    if (!chunk || chunk.isAbandoned) return chunk;
    const acknowledge = () => {
      this.#unsent -= chunk.merged.size;
      chunk.acknowledge();
    };
    return { ...chunk, acknowledge };
  }

  /** Takes over files of processes that no longer run, and reserves space for when the disk is full. */
  async claimStale(): Promise<void> {
    this.#writer.reserve();
    await this.#writer.adoptAbandoned();
  }

  /** Writes what it can within half a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#rewriteTimer);
    if (this.#reader.bytes().unwritten > 0) this.#start();
    await withTimeout(
      this.#writing.then(() => this.#writer.close()),
      CLOSE_TIMEOUT_MS,
    ).catch((error: unknown) => this.#log.warn({ err: error }, 'a spool file could not be closed'));
    this.#fullError.flush();
  }

  /** Visits of this process that are not sent: those in files, and those that only memory holds. */
  left(): { kept: number; unwritten: number } {
    const unwritten = this.#reader.unwrittenVisits() + this.#pending;
    return { kept: this.#unsent - unwritten, unwritten };
  }

  /** Size of what is not sent, in files and in memory. */
  bytes(): number {
    const { unsent, unwritten } = this.#reader.bytes();
    return unsent + unwritten + this.#waitingBytes;
  }

  /** Visits since the start that were served but will not be counted: neither disk nor memory had space for them. */
  lost(): number {
    return this.#lost;
  }

  #spaceLeft(): number {
    return this.#maxBytes - this.#writer.reservedBytes - this.#reader.bytes().written - this.#waitingBytes;
  }

  async #drop(size: number): Promise<void> {
    this.#lost += size;
    this.#fullError.add({ limitMegabytes: Math.round(this.#maxBytes / 1024 / 1024) }, size);
  }

  #write(batch: Batch, line: Buffer): Promise<void> {
    this.#unsent += batch.size;
    this.#pending += batch.size;
    return new Promise((done) => {
      this.#waiting.push({ batch, line, done });
      this.#waitingBytes += line.length;
      this.#start();
    });
  }

  #start(): void {
    if (!this.#isWriting) this.#writing = this.#run();
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    do {
      const group = this.#takeWaiting();
      if (this.#hasFailed) await this.#writeBehind(group);
      else await this.#writeDirectly(group);
      for (const { done } of group) done();
      // A part at a time, so that new visits do not wait for all of it.
      let hasMore = !this.#hasFailed;
      while (hasMore) hasMore = (await this.#writeUnwritten()) && this.#waiting.length === 0;
    } while (this.#waiting.length > 0);
    this.#isWriting = false;
  }

  async #writeDirectly(group: Waiting[]): Promise<void> {
    if (group.length === 0) return;
    try {
      await this.#writer.write(Buffer.concat(group.map(({ line }) => line)));
      for (const { batch } of group) this.#pending -= batch.size;
    } catch (error) {
      this.#keepInMemory(group);
      this.#fail(error);
    }
  }

  async #writeBehind(group: Waiting[]): Promise<void> {
    this.#keepInMemory(group);
    if (!(await this.#writeUnwritten())) return;
    this.#hasFailed = false;
    // Later visits need not wait until all of these are written; those that wait already have numbers of their lane.
    this.#lane = newLane();
    const numbered = this.#takeWaiting();
    this.#keepInMemory(numbered);
    group.push(...numbered);
  }

  /** Writes the first part of what is in memory. Returns whether that was possible. */
  async #writeUnwritten(): Promise<boolean> {
    // A line is less than twice as long as its visits.
    const most = this.#hasFailed ? ATTEMPT_BYTES : REWRITE_BYTES;
    const batches = this.#reader.firstUnwritten(Math.min(most, this.#spaceLeft() / 2));
    const bytes = Buffer.from(batches.map(writeLine).join(''));
    if (batches.length === 0 || bytes.length > this.#spaceLeft()) return false;
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      this.#fail(error);
      return false;
    }
    this.#reader.forgetUnwritten(batches);
    return true;
  }

  #keepInMemory(group: Waiting[]): void {
    for (const { batch } of group) {
      this.#pending -= batch.size;
      if (this.#reader.bytes().unwritten <= UNWRITTEN_BYTES) {
        this.#reader.addUnwritten(batch);
        continue;
      }
      this.#unsent -= batch.size;
      // Batches that the caller is still sending are only lost if that fails too.
      if (!this.#reader.release(batch)) this.#drop(batch.size);
    }
  }

  #takeWaiting(): Waiting[] {
    const group = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return group;
  }

  #fail(error: unknown): void {
    this.#writeError.add({ err: error });
    this.#hasFailed = true;
    this.#scheduleRewrite();
  }

  #scheduleRewrite(): void {
    if (!this.#isClosed) this.#rewriteTimer ??= setTimeout(() => this.#rewrite(), REWRITE_MS).unref();
  }

  #rewrite(): void {
    this.#rewriteTimer = undefined;
    if (this.#reader.bytes().unwritten === 0) return;
    this.#start();
    this.#scheduleRewrite();
  }
}

function newLane() {
  return { id: randomUUID() as string, number: 0 };
}
