import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolderError, StartupError } from './startup-error';

/**
 * The secret of an installation on one machine, 64 hexadecimal digits, created on the first start and kept in a file.
 * Programs that start together get the same one, and an interrupted start leaves no partial file.
 */
export function loadOrCreateSecret(folder: string, name: string): string {
  const file = join(folder, name);
  const secret = readOrCreate(folder, file);
  if (secret.length < 32)
    throw new StartupError(
      `${file} holds no secret: restore it from a backup; if it is deleted, a new one is made, and what was signed or encrypted with the old one becomes invalid`,
    );
  return secret;
}

function readOrCreate(folder: string, file: string): string {
  try {
    if (!existsSync(file)) make(folder, file);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw dataFolderError(error);
  }
}

function make(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
