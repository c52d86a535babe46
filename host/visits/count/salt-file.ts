import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** By day; 32 bytes each. */
const Salts = z.record(z.iso.date(), z.base64().length(44));

/**
 * Salts of today and later, so that a host that starts while the database is down can hash visitors. The file is
 * rewritten when a day ends and when a host starts, so it holds no past days.
 */
export class SaltFile {
  readonly #folder: string;
  readonly #path: string;
  #written = '{}';

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'salts.json');
  }

  read(): [day: string, salt: string][] {
    try {
      this.#written = readFileSync(this.#path, 'utf8');
      return Object.entries(Salts.parse(JSON.parse(this.#written)));
    } catch {
      // Missing or damaged: others could guess what stands in place of a salt.
      return [];
    }
  }

  write(salts: [day: string, salt: string][]): void {
    const text = JSON.stringify(Object.fromEntries(salts));
    if (text === this.#written) return;
    this.#written = text;
    const part = `${this.#path}.part`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(part, text, { mode: 0o600 });
      chmodSync(part, 0o600);
      renameSync(part, this.#path);
    } catch {
      // Without the file, visits after a start without the database count as visits but not as visitors.
      this.#written = '{}';
    }
  }
}
