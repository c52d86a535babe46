// Plants one barrier after the other in a copy of the checkout and reports whether the tests notice it.
import { stripVTControlCharacters } from 'node:util';
import type { Barrier } from './barrier';
import { runChecks } from './checks';
import { copyCheckout } from './copy';
import { BARRIERS } from './list';

/** Of all barriers; of those chosen by name, none. */
const MAY_BE_MISSED = 1;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !BARRIERS.some((barrier) => barrier.name === name));
if (unknown.length > 0) {
  process.stderr.write(`No barrier is named ${unknown.join(', ')}. There are:\n`);
  process.stderr.write(`${BARRIERS.map(({ name }) => `  ${name}\n`).join('')}`);
  process.exit(2);
}
const chosen = names.length > 0 ? BARRIERS.filter(({ name }) => names.includes(name)) : BARRIERS;

const copy = await copyCheckout();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => copy.remove().finally(() => process.exit(130)));
}
try {
  for (const barrier of chosen) await (await copy.plant(barrier))();
  await buildCopy();
  await requireGreen(chosen);
  const noticed: string[] = [];
  for (const barrier of chosen) {
    const complaint = await findComplaint(barrier);
    if (complaint) noticed.push(barrier.name);
    process.stdout.write(
      `${complaint ? 'noticed' : 'MISSED '}  ${barrier.name.padEnd(30)}${complaint ?? ''}\n`,
    );
  }
  process.stdout.write(`${noticed.length} of ${chosen.length} noticed\n`);
  const missed = chosen.length - noticed.length;
  process.exitCode = missed > (names.length > 0 ? 0 : MAY_BE_MISSED) ? 1 : 0;
} finally {
  await copy.remove();
}

/** What the tests report about the barrier, in one line; null if they pass. */
async function findComplaint(barrier: Barrier): Promise<string | null> {
  const putBack = await copy.plant(barrier);
  try {
    // Everything, as the build of the website empties the folder that also holds the other programs.
    if ('spec' in barrier.seenBy) await buildCopy();
    const { ran, complaints } = await runChecks(copy, [barrier.seenBy]);
    if (ran === 0) throw new Error(`no test looks at ${barrier.name}`);
    const [first] = complaints;
    return first === undefined ? null : inOneLine(first);
  } finally {
    await putBack();
  }
}

/** A test that fails without a barrier proves nothing with one. */
async function requireGreen(barriers: Barrier[]): Promise<void> {
  const checks = barriers.map(({ seenBy }) => seenBy);
  const { complaints } = await runChecks(copy, checks);
  if (complaints.length > 0) throw new Error(`fails without a barrier:\n${complaints.join('\n')}`);
}

async function buildCopy(): Promise<void> {
  const { code, output, errors } = await copy.run('npm', ['run', 'build']);
  if (code !== 0) throw new Error(`the build failed:\n${output}${errors}`);
}

function inOneLine(message: string): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim());
  const found = lines.find((line) => /^\s*\+\s+"/.test(line))?.replace(/^\s*\+\s+/, '');
  return [lines[0], found].filter(Boolean).join(' ').slice(0, 200);
}
