// Plants each barrier in turn in a copy of the checkout and reports whether the tests catch it.
import { stripVTControlCharacters } from 'node:util';
import type { Barrier } from './barrier';
import { runChecks } from './checks';
import { copyCheckout } from './copy';
import { BARRIERS } from './list';

/** How many barriers a full run may miss; a run of barriers chosen by name may miss none. */
const MAX_MISSED = 1;

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
  const caught: string[] = [];
  for (const barrier of chosen) {
    const complaint = await findComplaint(barrier);
    if (complaint) caught.push(barrier.name);
    process.stdout.write(
      `${complaint ? 'caught' : 'MISSED'}  ${barrier.name.padEnd(30)}${complaint ?? ''}\n`,
    );
  }
  process.stdout.write(`${caught.length} of ${chosen.length} caught\n`);
  const missed = chosen.length - caught.length;
  process.exitCode = missed > (names.length > 0 ? 0 : MAX_MISSED) ? 1 : 0;
} finally {
  await copy.remove();
}

/** The first error message of the barrier's test on one line; null if the test passes. */
async function findComplaint(barrier: Barrier): Promise<string | null> {
  const restore = await copy.plant(barrier);
  try {
    // Rebuild every program: the website's build empties the folder that also contains the others.
    if ('spec' in barrier.caughtBy) await buildCopy();
    const { ran, complaints } = await runChecks(copy, [barrier.caughtBy]);
    if (ran === 0) throw new Error(`no test ran for ${barrier.name}`);
    const [first] = complaints;
    return first === undefined ? null : inOneLine(first);
  } finally {
    await restore();
  }
}

/** Requires the tests to pass without barriers, as otherwise their failures prove nothing. */
async function requireGreen(barriers: Barrier[]): Promise<void> {
  const checks = barriers.map(({ caughtBy }) => caughtBy);
  const { complaints } = await runChecks(copy, checks);
  if (complaints.length > 0) throw new Error(`tests fail without a barrier:\n${complaints.join('\n')}`);
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
