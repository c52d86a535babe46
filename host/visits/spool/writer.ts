import type { Logger } from 'pino';
import { createRepeatedError, type RepeatedError } from '#runtime/log';
import { CLAIM_MS, type OpenFile, remove, SpoolFiles, writeAll } from './files';
import type { SpoolReader } from './reader';

/** Appends to files of a process until they have `fileBytes`, and hands them to its reader. */
export class SpoolWriter {
  readonly #files: SpoolFiles;
  readonly #fileBytes: number;
  readonly #reader: SpoolReader;
  readonly #log: Logger;
  readonly #reserveError: RepeatedError;
  #current: OpenFile | undefined;
  #reserving = Promise.resolve();
  #isUsed = false;
  #isWriting = false;
  #claimTimer: NodeJS.Timeout | undefined;

  constructor(folder: string, fileBytes: number, reader: SpoolReader, log: Logger) {
    this.#fileBytes = fileBytes;
    this.#reader = reader;
    this.#log = log;
    this.#files = new SpoolFiles(folder);
    this.#reserveError = createRepeatedError(log, 'no disk space is reserved for visits');
  }

  get reservedBytes(): number {
    return this.#files.reservedBytes;
  }

  /** Appends complete lines and syncs them. If that fails, it uses the reserved space. */
  async write(lines: Buffer): Promise<void> {
    this.#isUsed = true;
    this.#isWriting = true;
    try {
      await this.#append(lines).catch((error: unknown) => this.#appendToReserve(lines, error));
    } catch (error) {
      await this.#abandonFile();
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  /** Adds files of processes that no longer run to those that are read. */
  async adoptAbandoned(): Promise<void> {
    const found = await this.#files.listAbandoned();
    const adopted = found.filter((file) => this.#reader.add(file, 'left'));
    const bytes = adopted.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > 0)
      this.#log.info({ files: adopted.length, bytes }, 'the spool contains visits of an earlier run');
  }

  /** Reserves the space of one file, unless it is reserved, for when the disk is full. */
  reserve(): void {
    this.#reserving = this.#reserving
      .then(() => this.#files.reserve(this.#fileBytes))
      .then(() => this.#startClaiming())
      .catch((error: unknown) => this.#reserveError.add({ err: error }));
  }

  async close(): Promise<void> {
    clearInterval(this.#claimTimer);
    await this.#discard();
    await this.#closeFile();
    await this.#reserving;
    await this.#files.freeReserve();
    // It may have been reserved since.
    clearInterval(this.#claimTimer);
  }

  async #appendToReserve(lines: Buffer, error: unknown): Promise<void> {
    await this.#abandonFile();
    const reserved = await this.#files.takeReserve().catch(() => null);
    if (!reserved) throw error;
    this.#use(reserved);
    await this.#append(lines);
  }

  async #append(lines: Buffer): Promise<void> {
    const { file, handle } = this.#current ?? this.#use(await this.#files.create());
    await writeAll(handle, lines, file.bytes);
    await handle.datasync();
    const { nlink } = await handle.stat();
    if (nlink === 0) {
      // Another process considered this one dead, sent the file and removed it. The reader closes it.
      file.isOpen = false;
      this.#current = undefined;
      return this.#append(lines);
    }
    file.bytes += lines.length;
    if (file.bytes >= this.#fileBytes) await this.#closeFile();
  }

  #use(opened: OpenFile): OpenFile {
    this.#current = opened;
    this.#reader.add(opened.file, 'last');
    this.#startClaiming();
    return opened;
  }

  #startClaiming(): void {
    this.#claimTimer ??= setInterval(() => this.#tidy(), CLAIM_MS).unref();
  }

  /** Truncates a partial write. */
  async #abandonFile(): Promise<void> {
    await this.#current?.handle.truncate(this.#current.file.bytes).catch(() => undefined);
    await this.#closeFile().catch(() => undefined);
  }

  async #closeFile(): Promise<void> {
    const open = this.#current;
    this.#current = undefined;
    if (!open) return;
    Object.assign(open.file, { isOpen: false, handle: undefined });
    await open.handle.close();
  }

  /** Renews the claim on all files, and removes the open one if it is unused and all of it was sent. */
  async #tidy(): Promise<void> {
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    await this.#files.claimAll(this.#reader.files);
    if (!wasUsed && !this.#isUsed && !this.#isWriting)
      await this.#discard().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'a spool file could not be closed'),
      );
  }

  async #discard(): Promise<void> {
    const file = this.#current?.file;
    if (!file || file.sent < file.bytes) return;
    this.#reader.forget(file);
    await this.#closeFile();
    await remove(file, this.#log);
  }
}
