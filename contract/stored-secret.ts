import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The secret of an installation on one machine, 64 hexadecimal digits, created on the first start and kept in a file.
 * Programs that start together get the same one, and an interrupted start leaves no partial file.
 */
export function loadOrCreateSecret(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) make(folder, file);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} holds no secret; delete it and a new one is made`);
  return secret;
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
