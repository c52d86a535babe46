import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '../..');

/** A disposable copy of the checkout, with its uncommitted changes. */
export async function copyCheckout() {
  const folder = await mkdtemp(join(tmpdir(), 'barriers-'));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { output } = await run('git', listed, CHECKOUT);
  const gone = await run('git', ['ls-files', '-z', '--deleted'], CHECKOUT);
  const deleted = new Set(gone.output.split('\0'));
  for (const file of output.split('\0')) {
    if (file && !deleted.has(file)) await cp(join(CHECKOUT, file), join(folder, file), { recursive: true });
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    run: (command: string, args: string[], env: Record<string, string> = {}) =>
      run(command, args, folder, env),
    /** Replaces text that must occur exactly once in a file; returns a function that restores the file. */
    async plant({ file, from, to }: { file: string; from: string; to: string }) {
      const path = join(folder, file);
      const source = await readFile(path, 'utf8');
      const count = source.split(from).length - 1;
      if (count !== 1) throw new Error(`occurs ${count} times in ${file}: ${from}`);
      await writeFile(
        path,
        source.replace(from, () => to),
      );
      return () => writeFile(path, source);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs a command to its end; resolves with its exit code and captured output. */
function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  return new Promise<{ code: number; output: string; errors: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output, errors }));
  });
}
