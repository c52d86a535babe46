import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const CACHE = '.cache';
const HOUR_MS = 3_600_000;

const bundled = new Map<string, string>();

/**
 * Arguments for Node.js that run one of our programs, bundled into a single file on the first call. Compiling
 * the sources at every start would take more CPU time than most tests do.
 */
export function bundledProgram(source: string): string[] {
  const file = bundled.get(source) ?? bundle(source);
  bundled.set(source, file);
  // Skip V8's optimising WebAssembly compiler: these programs end before optimised code would pay off.
  return ['--liftoff-only', file];
}

function bundle(source: string): string {
  // Splitting keeps what is imported on demand, such as Stripe's package, out of every start.
  const { outputFiles } = buildSync({
    entryPoints: [source],
    outdir: CACHE,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    write: false,
  });
  const hash = createHash('sha256');
  for (const { contents } of outputFiles) hash.update(contents);
  const name = `program-${basename(source, '.ts')}`;
  const folder = resolve(CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const file = join(folder, `${basename(source, '.ts')}.js`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  for (const older of readdirSync(CACHE).filter((other) => other.startsWith(`${name}-`))) {
    const path = join(CACHE, older);
    if (Date.now() - statSync(path).mtimeMs > HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
  // Write, then rename, so that a concurrent process never sees a partial file; the entry comes after what it imports.
  for (const { path, contents } of outputFiles.reverse()) {
    const unfinished = `${path}.${process.pid}.part`;
    writeFileSync(unfinished, contents);
    renameSync(unfinished, join(folder, basename(path)));
  }
  return file;
}
