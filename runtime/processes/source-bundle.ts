import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { DAY_MS } from '#contract/time';

const CACHE = '.cache';

/** Whether the module of this URL runs from source, or from a bundle of `bundleSource`: nothing may be built then. */
export function runsFromSource(url: string): boolean {
  return url.endsWith('.ts') || url.includes(`/${CACHE}/program-`);
}

/**
 * Bundles a TypeScript program and returns the path of a JavaScript file that Node.js runs. Only while developing and
 * testing: it takes some 15 ms, whereas compiling each module at the start of a process takes several hundred.
 */
export function bundleSource(source: string): string {
  // Loaded here because it is not installed where only built programs run.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [source],
    outdir: CACHE,
    bundle: true,
    // Keeps what is imported on demand, such as Stripe's package, out of every start.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    sourcesContent: false,
    write: false,
    // What is wrong is in the error.
    logLevel: 'silent',
  });
  const program = basename(source, '.ts');
  const hash = createHash('sha256');
  for (const { contents } of outputFiles) hash.update(contents);
  const folder = resolve(CACHE, `program-${program}-${hash.digest('hex').slice(0, 16)}`);
  const file = join(folder, `${program}.js`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  removeOldBundles(program);
  // Write, then rename, so that a concurrent process or thread never sees a partial file; the entry comes after what it
  // imports.
  for (const { path, contents } of outputFiles.reverse()) {
    const unfinished = join(folder, `${basename(path)}.${randomUUID()}.part`);
    writeFileSync(unfinished, contents);
    renameSync(unfinished, join(folder, basename(path)));
  }
  return file;
}

function removeOldBundles(program: string): void {
  for (const name of readdirSync(CACHE).filter((name) => name.startsWith(`program-${program}-`))) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}
