import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import type { Batch } from './journal';
import { CLAIM_MS, claim, createSpoolFiles, remove, type SpoolFile, writeLine } from './spool-files';
import { createSpoolReader, type SpoolChunk } from './spool-reader';

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
  /** Takes over files of processes that no longer run. */
  claimStale(): Promise<void>;
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
/** How much of it is written at once when the disk takes something again. */
const REWRITE_BYTES = 1024 * 1024;
/** How long closing waits for the disk. */
const CLOSE_TIMEOUT_MS = 500;
const LOG_EVERY_MS = 10_000;

/**
 * Append-only files of lines, written and synced in groups. What cannot be written is kept in memory, so that visits
 * are answered even if the disk is full, and written later; beyond the limits it is dropped.
 */
export function createSpool({ visits, log }: Pick<Deps, 'visits' | 'log'>): Spool {
  const files = createSpoolFiles(visits.folder);
  const reader = createSpoolReader(log);
  const fileBytes = Math.min(FILE_BYTES, visits.spoolBytes / 4);
  let lane = newLane();
  let current: { file: SpoolFile; handle: FileHandle } | undefined;
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let writing = Promise.resolve();
  let isUsed = false;
  let claimTimer: NodeJS.Timeout | undefined;
  let lost = 0;
  let lostWhenLogged = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function add(unnumbered: Omit<Batch, 'lane' | 'number'>): Promise<void> {
    const batch = { ...unnumbered, lane: lane.id, number: lane.number + 1 };
    const line = Buffer.from(writeLine(batch));
    if (isFull(line.length)) return drop(batch.size);
    lane.number += 1;
    return write(batch, line);
  }

  function hold(batch: Batch): Promise<void> {
    const line = Buffer.from(writeLine(batch));
    if (isFull(line.length)) return Promise.resolve();
    reader.hold(batch);
    return write(batch, line);
  }

  function release(batch: Batch): void {
    if (!reader.release(batch)) drop(batch.size);
  }

  function isFull(extraBytes: number): boolean {
    return reader.bytes().written + waitingBytes + extraBytes > visits.spoolBytes;
  }

  async function drop(size: number): Promise<void> {
    lost += size;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    const limitMegabytes = Math.round(visits.spoolBytes / 1024 / 1024);
    log.error(
      { visits: lost - lostWhenLogged, limitMegabytes },
      'the spool is full: visits were answered but will not be counted',
    );
    lostWhenLogged = lost;
  }

  function write(batch: Batch, line: Buffer): Promise<void> {
    return new Promise((done) => {
      waiting.push({ batch, line, done });
      waitingBytes += line.length;
      if (!isWriting) writing = writeAll();
    });
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    do {
      const group = takeWaiting();
      let isWritten = true;
      await writeGroup(Buffer.concat(group.map(({ line }) => line))).catch((error: unknown) => {
        isWritten = false;
        // What has been numbered meanwhile must not overtake what failed.
        group.push(...takeWaiting());
        return fail(group, error);
      });
      for (const { done } of group) done();
      if (isWritten) await writeUnwritten();
    } while (waiting.length > 0);
    isWriting = false;
  }

  /** Writes what an earlier error left in memory, a part at a time, so that new visits do not wait for all of it. */
  async function writeUnwritten(): Promise<void> {
    do {
      const batches = reader.firstUnwritten(REWRITE_BYTES);
      const bytes = Buffer.from(batches.map(writeLine).join(''));
      if (batches.length === 0 || isFull(bytes.length)) return;
      try {
        await writeGroup(bytes);
      } catch (error) {
        return fail([], error);
      }
      reader.forgetUnwritten(batches);
    } while (waiting.length === 0);
  }

  function takeWaiting(): Waiting[] {
    const group = waiting;
    waiting = [];
    waitingBytes = 0;
    return group;
  }

  async function writeGroup(bytes: Buffer): Promise<void> {
    isUsed = true;
    current ??= await open();
    const { file, handle } = current;
    // A nearly full disk may accept a partial write without an error.
    for (let written = 0; written < bytes.length; ) {
      const remaining = bytes.length - written;
      written += (await handle.write(bytes, written, remaining, file.bytes + written)).bytesWritten;
    }
    await handle.datasync();
    const { nlink } = await handle.stat();
    if (nlink === 0) {
      // Another process considered this one dead, sent the file and removed it. The reader closes it.
      file.isOpen = false;
      current = undefined;
      return writeGroup(bytes);
    }
    file.bytes += bytes.length;
    if (file.bytes >= fileBytes) await closeFile();
  }

  async function open() {
    const created = await files.create();
    reader.add(created.file, 'last');
    claimTimer ??= setInterval(() => tidy().catch(logCloseError), CLAIM_MS).unref();
    return created;
  }

  async function closeFile(): Promise<void> {
    const open = current;
    current = undefined;
    if (!open) return;
    Object.assign(open.file, { isOpen: false, handle: undefined });
    await open.handle.close();
  }

  /** Truncates a partial write, and starts a new lane, because batches of one lane must not overtake each other. */
  async function fail(group: Waiting[], error: unknown): Promise<void> {
    log.error({ err: error }, 'the spool cannot be written: visits are kept in memory');
    lane = newLane();
    for (const { batch } of group) {
      if (reader.bytes().unwritten <= UNWRITTEN_BYTES) reader.addUnwritten(batch);
      // Batches that the caller is still sending are only lost if that fails too.
      else if (!reader.release(batch)) drop(batch.size);
    }
    await current?.handle.truncate(current.file.bytes).catch(() => undefined);
    await closeFile().catch(() => undefined);
  }

  /** Renews the claim on all files, and removes the open one if it is unused and all of it was sent. */
  async function tidy(): Promise<void> {
    const wasUsed = isUsed;
    isUsed = false;
    await Promise.all(reader.files.map(claim));
    if (!wasUsed && !isUsed && !isWriting) await discard();
  }

  async function discard(): Promise<void> {
    const file = current?.file;
    if (!file || file.sent < file.bytes) return;
    reader.forget(file);
    await closeFile();
    await remove(file, log);
  }

  function logCloseError(error: unknown): void {
    log.warn({ err: error }, 'a spool file could not be closed');
  }

  async function claimStale(): Promise<void> {
    const found = await files.listAbandoned();
    const adopted = found.filter((file) => reader.add(file, 'left'));
    const bytes = adopted.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > 0) log.info({ files: adopted.length, bytes }, 'the spool contains visits of an earlier run');
  }

  async function close(): Promise<void> {
    clearInterval(claimTimer);
    if (!isWriting && reader.bytes().unwritten > 0) writing = writeAll();
    await withTimeout(writing, CLOSE_TIMEOUT_MS).catch(logCloseError);
    if (isWriting) return;
    await discard().then(closeFile).catch(logCloseError);
  }

  function bytes(): number {
    const { unsent, unwritten } = reader.bytes();
    return unsent + unwritten + waitingBytes;
  }

  return {
    add,
    hold,
    sent: reader.sent,
    release,
    next: reader.next,
    bytes,
    lost: () => lost,
    claimStale,
    close,
  };
}

function newLane() {
  return { id: randomUUID() as string, number: 0 };
}
