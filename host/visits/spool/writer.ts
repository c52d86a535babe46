import type { Logger } from 'pino';
import { createRepeatedError } from '#runtime/log';
import { CLAIM_MS, createSpoolFiles, type OpenFile, remove, writeAll } from './files';
import type { SpoolReader } from './reader';

interface SpoolWriter {
  /** Appends complete lines and syncs them. If that fails, it uses the reserved space. */
  write(lines: Buffer): Promise<void>;
  /** Adds files of processes that no longer run to those that are read. */
  adoptAbandoned(): Promise<void>;
  /** Reserves the space of one file, unless it is reserved, for when the disk is full. */
  reserve(): void;
  reservedBytes(): number;
  close(): Promise<void>;
}

/** Appends to files of a process until they have `fileBytes`, and hands them to its reader. */
export function createSpoolWriter(
  folder: string,
  fileBytes: number,
  reader: SpoolReader,
  log: Logger,
): SpoolWriter {
  const files = createSpoolFiles(folder);
  const reserveError = createRepeatedError(log, 'no disk space is reserved for visits');
  let current: OpenFile | undefined;
  let reserving = Promise.resolve();
  let isUsed = false;
  let isWriting = false;
  let claimTimer: NodeJS.Timeout | undefined;

  async function write(lines: Buffer): Promise<void> {
    isUsed = true;
    isWriting = true;
    try {
      await append(lines).catch((error: unknown) => appendToReserve(lines, error));
    } catch (error) {
      await abandonFile();
      throw error;
    } finally {
      isWriting = false;
    }
  }

  async function appendToReserve(lines: Buffer, error: unknown): Promise<void> {
    await abandonFile();
    const reserved = await files.takeReserve().catch(() => null);
    if (!reserved) throw error;
    use(reserved);
    await append(lines);
  }

  async function append(lines: Buffer): Promise<void> {
    const { file, handle } = current ?? use(await files.create());
    await writeAll(handle, lines, file.bytes);
    await handle.datasync();
    const { nlink } = await handle.stat();
    if (nlink === 0) {
      // Another process considered this one dead, sent the file and removed it. The reader closes it.
      file.isOpen = false;
      current = undefined;
      return append(lines);
    }
    file.bytes += lines.length;
    if (file.bytes >= fileBytes) await closeFile();
  }

  function use(opened: OpenFile): OpenFile {
    current = opened;
    reader.add(opened.file, 'last');
    startClaiming();
    return opened;
  }

  function startClaiming(): void {
    claimTimer ??= setInterval(() => tidy().catch(logCloseError), CLAIM_MS).unref();
  }

  /** Truncates a partial write. */
  async function abandonFile(): Promise<void> {
    await current?.handle.truncate(current.file.bytes).catch(() => undefined);
    await closeFile().catch(() => undefined);
  }

  async function closeFile(): Promise<void> {
    const open = current;
    current = undefined;
    if (!open) return;
    Object.assign(open.file, { isOpen: false, handle: undefined });
    await open.handle.close();
  }

  /** Renews the claim on all files, and removes the open one if it is unused and all of it was sent. */
  async function tidy(): Promise<void> {
    const wasUsed = isUsed;
    isUsed = false;
    await files.claimAll(reader.files);
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

  async function adoptAbandoned(): Promise<void> {
    const found = await files.listAbandoned();
    const adopted = found.filter((file) => reader.add(file, 'left'));
    const bytes = adopted.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > 0) log.info({ files: adopted.length, bytes }, 'the spool contains visits of an earlier run');
  }

  function reserve(): void {
    reserving = reserving
      .then(() => files.reserve(fileBytes))
      .then(startClaiming)
      .catch((error: unknown) => reserveError.add({ err: error }));
  }

  async function close(): Promise<void> {
    clearInterval(claimTimer);
    await discard();
    await closeFile();
    await reserving;
    await files.freeReserve();
    // It may have been reserved since.
    clearInterval(claimTimer);
  }

  return { write, adoptAbandoned, reserve, reservedBytes: files.reservedBytes, close };
}
