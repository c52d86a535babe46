import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Salts of today and of the days to come, so that a host which starts while the database is away can number visitors.
 * The file holds no day that is over: it is written again when one ends and whenever a host starts.
 */
export function createSaltFile(folder: string) {
  const path = join(folder, 'salts.json');
  let written = '{}';

  function read(): [day: string, salt: Buffer][] {
    try {
      written = readFileSync(path, 'utf8');
      return Object.entries(JSON.parse(written) as Record<string, string>).map(([day, salt]) => [
        day,
        Buffer.from(salt, 'base64'),
      ]);
    } catch {
      return [];
    }
  }

  function write(salts: [day: string, salt: Buffer][]): void {
    const text = JSON.stringify(
      Object.fromEntries(salts.map(([day, salt]) => [day, salt.toString('base64')])),
    );
    if (text === written) return;
    written = text;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.part`, text, { mode: 0o600 });
      chmodSync(`${path}.part`, 0o600);
      renameSync(`${path}.part`, path);
    } catch {
      // Without it, visits of a start without the database count as visits and not as persons.
      written = '{}';
    }
  }

  return { read, write };
}
