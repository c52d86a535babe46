import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const CACHE = '.cache';
const HOUR_MS = 3_600_000;

const bundled = new Map<string, string>();

/**
 * What Node.js is given to run a program of ours: one file with all of its modules, made from the sources as they are
 * when it is first asked for. To compile them at each start would take more processor time than most tests do.
 */
export function bundledProgram(source: string): string[] {
  const file = bundled.get(source) ?? bundle(source);
  bundled.set(source, file);
  // The database of a program that lives for seconds is done before its optimised machine code would be.
  return ['--liftoff-only', file];
}

function bundle(source: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    write: false,
  });
  const [{ contents }] = outputFiles as [(typeof outputFiles)[number]];
  const name = `program-${basename(source, '.ts')}-`;
  const file = resolve(
    CACHE,
    `${name}${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.js`,
  );
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true });
  for (const older of readdirSync(CACHE).filter((other) => other.startsWith(name))) {
    const path = join(CACHE, older);
    if (Date.now() - statSync(path).mtimeMs > HOUR_MS) rmSync(path, { force: true });
  }
  // Renamed into place when it is whole: another process may want it at the same time.
  const unfinished = `${file}.${process.pid}.part`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, file);
  return file;
}
