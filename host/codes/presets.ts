import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve('host/codes/presets');

/** Preset logos by file name, read once; user input is only looked up here and never becomes a path. */
export function readPresets(): Map<string, Uint8Array<ArrayBuffer>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.svg'));
  return new Map(files.sort().map((file) => [file, new Uint8Array(readFileSync(join(FOLDER, file)))]));
}
