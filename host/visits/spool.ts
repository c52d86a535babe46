import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Deps } from '#host/http/deps';
import type { Batch } from './journal';
import { CLAIM_MS, claim, createSpoolFiles, remove, type SpoolFile, writeLine } from './spool-files';
import { createSpoolReader, type Parcel } from './spool-reader';

/** Where visits wait on the disk that are answered and not in the database. */
export interface Spool {
  /** Puts visits on the disk, to be sent from there. Resolves when they are synced; never rejects. */
  take(visits: Omit<Batch, 'lane' | 'number'>): Promise<void>;
  /** The same for a batch that is being sent: `sent` or `release` says how that ended. */
  hold(batch: Batch): Promise<void>;
  sent(batch: Batch): void;
  /** Sending it failed; whoever empties the spool sends it again. */
  release(batch: Batch): void;
  /** What is to be sent next, the oldest first; null when there is nothing. */
  next(): Promise<Parcel | null>;
  /** Of what is not sent, in files and in memory. */
  bytes(): number;
  /** Takes over what programs left that are gone. */
  claimStale(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  batch: Batch;
  line: Buffer;
  done: () => void;
}

const FILE_BYTES = 16 * 1024 * 1024;
/** Of visits that wait in memory because the disk refuses them. */
const KEPT_BYTES = 64 * 1024 * 1024;
const TELL_MS = 10_000;

/**
 * An append-only file of lines. All that waits for the disk is written and synced at once. What cannot be written waits
 * in memory, so that a full disk stops no scan; what is beyond the limit is dropped.
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
  let isUsed = false;
  let claiming: NodeJS.Timeout | undefined;
  let dropped = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  function take(given: Omit<Batch, 'lane' | 'number'>): Promise<void> {
    const batch = { ...given, lane: lane.id, number: lane.number + 1 };
    const line = Buffer.from(writeLine(batch));
    if (isFull(line)) return drop(batch.size);
    lane.number += 1;
    return write(batch, line);
  }

  function hold(batch: Batch): Promise<void> {
    const line = Buffer.from(writeLine(batch));
    if (isFull(line)) return Promise.resolve();
    reader.hold(batch);
    return write(batch, line);
  }

  function release(batch: Batch): void {
    if (!reader.release(batch)) drop(batch.size);
  }

  function isFull(line: Buffer): boolean {
    return reader.bytes().written + waitingBytes + line.length > visits.spoolBytes;
  }

  async function drop(size: number): Promise<void> {
    dropped += size;
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    const limitMegabytes = Math.round(visits.spoolBytes / 1024 / 1024);
    log.error(
      { visits: dropped, limitMegabytes },
      'the spool is full: visits were answered and are not counted',
    );
    dropped = 0;
  }

  function write(batch: Batch, line: Buffer): Promise<void> {
    return new Promise((done) => {
      waiting.push({ batch, line, done });
      waitingBytes += line.length;
      if (!isWriting) writeAll();
    });
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      waitingBytes = 0;
      await writeGroup(Buffer.concat(group.map(({ line }) => line))).catch((error: unknown) =>
        fail(group, error),
      );
      for (const { done } of group) done();
    }
    isWriting = false;
  }

  async function writeGroup(bytes: Buffer): Promise<void> {
    isUsed = true;
    current ??= await open();
    const { file, handle } = current;
    await handle.write(bytes, 0, bytes.length, file.bytes);
    await handle.datasync();
    const { nlink } = await handle.stat();
    if (nlink === 0) {
      // A program that took this one for dead has sent what was in it.
      await leave();
      return writeGroup(bytes);
    }
    file.bytes += bytes.length;
    if (file.bytes >= fileBytes) await leave();
  }

  async function open() {
    const made = await files.make();
    reader.add(made.file, 'last');
    claiming ??= setInterval(tidy, CLAIM_MS).unref();
    return made;
  }

  async function leave(): Promise<void> {
    const left = current;
    current = undefined;
    if (left) left.file.isOpen = false;
    await left?.handle.close();
  }

  /** What is half written is cut off; the lane ends, because its batches must not overtake each other. */
  async function fail(group: Waiting[], error: unknown): Promise<void> {
    log.error({ err: error }, 'the spool cannot be written: visits wait in memory');
    lane = newLane();
    for (const { batch } of group) {
      if (reader.bytes().kept > KEPT_BYTES) drop(batch.size);
      else reader.keep(batch);
    }
    await current?.handle.truncate(current.file.bytes).catch(() => undefined);
    await leave().catch(() => undefined);
  }

  /** Claims the files that are still needed, and removes the open one when all of it was sent. */
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
    await leave();
    await remove(file);
  }

  async function claimStale(): Promise<void> {
    const found = await files.listAbandoned();
    const added = found.filter((file) => reader.add(file, 'first'));
    const bytes = added.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > 0) log.info({ files: added.length, bytes }, 'visits of an earlier run are in the spool');
  }

  async function close(): Promise<void> {
    clearInterval(claiming);
    if (!isWriting) await discard();
  }

  function bytes(): number {
    const { unsent, kept } = reader.bytes();
    return unsent + kept + waitingBytes;
  }

  return { take, hold, sent: reader.sent, release, next: reader.next, bytes, claimStale, close };
}

function newLane() {
  return { id: randomUUID() as string, number: 0 };
}
