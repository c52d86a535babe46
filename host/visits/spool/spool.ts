import { randomUUID } from 'node:crypto';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import type { Batch } from '#host/visits/count/journal';
import { createRepeatedError } from '#runtime/log';
import { writeLine } from './lines';
import { createSpoolReader, type SpoolChunk } from './reader';
import { createSpoolWriter } from './writer';

/** Visits on disk that were acknowledged but are not in the database yet. */
export interface Spool {
  /** Writes visits to disk, to be sent from there. Resolves when they are synced; never rejects. */
  add(visits: Omit<Batch, 'lane' | 'number'>): Promise<void>;
  /** The same for a batch that the caller is still sending; `sent` or `release` must follow. */
  hold(batch: Batch): Promise<void>;
  sent(batch: Batch): void;
  /** The caller failed to send it: it is sent from the spool. */
  release(batch: Batch): void;
  /** The next batches to send, oldest first; null if there are none. */
  next(): Promise<SpoolChunk | null>;
  /** Size of what is not sent, in files and in memory. */
  bytes(): number;
  /** Visits since the start that were served but will not be counted: neither disk nor memory had space for them. */
  lost(): number;
  /** Visits of this process that are not sent: those in files, and those that only memory holds. */
  left(): { kept: number; unwritten: number };
  /** Takes over files of processes that no longer run, and reserves space for when the disk is full. */
  claimStale(): Promise<void>;
  /** Writes what it can within half a second. */
  close(): Promise<void>;
}

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
 * Append-only files of lines, written and synced in groups; if the disk is full, in space that was reserved. What cannot
 * be written is kept in memory, so that visits are answered all the same, and written later; beyond the limits it is
 * dropped.
 */
export function createSpool({ visits, log }: Pick<Deps, 'visits' | 'log'>): Spool {
  const reader = createSpoolReader(log);
  const fileBytes = Math.floor(Math.min(FILE_BYTES, visits.spoolBytes / 4));
  const writer = createSpoolWriter(visits.folder, fileBytes, reader, log);
  const writeError = createRepeatedError(log, 'the spool cannot be written: visits are kept in memory');
  const fullError = createRepeatedError(
    log,
    'the spool is full: visits were answered but will not be counted',
    'visits',
  );
  let lane = newLane();
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let writing = Promise.resolve();
  /** Since the last write failed, everything goes to memory first, so that nothing overtakes what failed. */
  let hasFailed = false;
  let isClosed = false;
  let rewriteTimer: NodeJS.Timeout | undefined;
  let lost = 0;
  /** Visits of this process that are not sent, and how many of them wait for the disk. */
  let unsent = 0;
  let pending = 0;

  function add(unnumbered: Omit<Batch, 'lane' | 'number'>): Promise<void> {
    const batch = { ...unnumbered, lane: lane.id, number: lane.number + 1 };
    const line = Buffer.from(writeLine(batch));
    if (line.length > spaceLeft()) return drop(batch.size);
    lane.number += 1;
    return write(batch, line);
  }

  function hold(batch: Batch): Promise<void> {
    const line = Buffer.from(writeLine(batch));
    if (line.length > spaceLeft()) return Promise.resolve();
    reader.hold(batch);
    return write(batch, line);
  }

  function sent(batch: Batch): void {
    if (reader.sent(batch)) unsent -= batch.size;
  }

  function release(batch: Batch): void {
    if (!reader.release(batch)) drop(batch.size);
  }

  async function next(): Promise<SpoolChunk | null> {
    const chunk = await reader.next();
    if (!chunk || chunk.isAbandoned) return chunk;
    const acknowledge = () => {
      unsent -= chunk.merged.size;
      chunk.acknowledge();
    };
    return { ...chunk, acknowledge };
  }

  function spaceLeft(): number {
    return visits.spoolBytes - writer.reservedBytes() - reader.bytes().written - waitingBytes;
  }

  async function drop(size: number): Promise<void> {
    lost += size;
    fullError.add({ limitMegabytes: Math.round(visits.spoolBytes / 1024 / 1024) }, size);
  }

  function write(batch: Batch, line: Buffer): Promise<void> {
    unsent += batch.size;
    pending += batch.size;
    return new Promise((done) => {
      waiting.push({ batch, line, done });
      waitingBytes += line.length;
      start();
    });
  }

  function start(): void {
    if (!isWriting) writing = run();
  }

  async function run(): Promise<void> {
    isWriting = true;
    do {
      const group = takeWaiting();
      if (hasFailed) await writeBehind(group);
      else await writeDirectly(group);
      for (const { done } of group) done();
      // A part at a time, so that new visits do not wait for all of it.
      while (!hasFailed && (await writeUnwritten()) && waiting.length === 0);
    } while (waiting.length > 0);
    isWriting = false;
  }

  async function writeDirectly(group: Waiting[]): Promise<void> {
    if (group.length === 0) return;
    try {
      await writer.write(Buffer.concat(group.map(({ line }) => line)));
      for (const { batch } of group) pending -= batch.size;
    } catch (error) {
      keepInMemory(group);
      fail(error);
    }
  }

  async function writeBehind(group: Waiting[]): Promise<void> {
    keepInMemory(group);
    if (!(await writeUnwritten())) return;
    hasFailed = false;
    // Later visits need not wait until all of these are written; those that wait already have numbers of their lane.
    lane = newLane();
    const numbered = takeWaiting();
    keepInMemory(numbered);
    group.push(...numbered);
  }

  /** Writes the first part of what is in memory. Returns whether that was possible. */
  async function writeUnwritten(): Promise<boolean> {
    // A line is less than twice as long as its visits.
    const most = hasFailed ? ATTEMPT_BYTES : REWRITE_BYTES;
    const batches = reader.firstUnwritten(Math.min(most, spaceLeft() / 2));
    const bytes = Buffer.from(batches.map(writeLine).join(''));
    if (batches.length === 0 || bytes.length > spaceLeft()) return false;
    try {
      await writer.write(bytes);
    } catch (error) {
      fail(error);
      return false;
    }
    reader.forgetUnwritten(batches);
    return true;
  }

  function keepInMemory(group: Waiting[]): void {
    for (const { batch } of group) {
      pending -= batch.size;
      if (reader.bytes().unwritten <= UNWRITTEN_BYTES) {
        reader.addUnwritten(batch);
        continue;
      }
      unsent -= batch.size;
      // Batches that the caller is still sending are only lost if that fails too.
      if (!reader.release(batch)) drop(batch.size);
    }
  }

  function takeWaiting(): Waiting[] {
    const group = waiting;
    waiting = [];
    waitingBytes = 0;
    return group;
  }

  function fail(error: unknown): void {
    writeError.add({ err: error });
    hasFailed = true;
    scheduleRewrite();
  }

  function scheduleRewrite(): void {
    if (!isClosed) rewriteTimer ??= setTimeout(rewrite, REWRITE_MS).unref();
  }

  function rewrite(): void {
    rewriteTimer = undefined;
    if (reader.bytes().unwritten === 0) return;
    start();
    scheduleRewrite();
  }

  async function claimStale(): Promise<void> {
    writer.reserve();
    await writer.adoptAbandoned();
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(rewriteTimer);
    if (reader.bytes().unwritten > 0) start();
    await withTimeout(writing.then(writer.close), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'a spool file could not be closed'),
    );
    fullError.flush();
  }

  function left() {
    const unwritten = reader.unwrittenVisits() + pending;
    return { kept: unsent - unwritten, unwritten };
  }

  function bytes(): number {
    const { unsent, unwritten } = reader.bytes();
    return unsent + unwritten + waitingBytes;
  }

  return {
    add,
    hold,
    sent,
    release,
    next,
    bytes,
    lost: () => lost,
    left,
    claimStale,
    close,
  };
}

function newLane() {
  return { id: randomUUID() as string, number: 0 };
}
