// Mutation testing: plants small defects, one at a time, and counts those that a test catches.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** Code on which money, privacy or exact counts depend. */
const FOLDERS = [
  'host/visits',
  'host/subscriptions',
  'host/payments',
  'host/sign-in',
  'host/accounts',
  'host/codes',
  'app/http',
];
const MIN_PERCENT = 85;

/** A sample consists of whole blocks of lines, because most defects that span lines span few. */
const BLOCK_LINES = 10;

// For example `npm run mutate host/visits`; without arguments, all folders above. `--tests=tests/host/visits` limits the
// tests, and `--share=0.1` plants defects in a random tenth of the code, which makes a run of minutes out of one of hours.
// With fewer tests the score is a lower bound. The same seed selects the same lines.
const { values, positionals: requested } = parseArgs({
  options: {
    tests: { type: 'string', multiple: true, default: ['tests'] },
    share: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
  allowPositionals: true,
});
const share = Number(values.share);
const files = (requested.length > 0 ? requested : FOLDERS).flatMap(filesIn);
if (share < 1) process.stdout.write(`Mutates a share of ${share}, --seed=${values.seed}\n`);

await new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: share < 1 ? files.flatMap(sampledRanges) : files,
  testFiles: values.tests.map((path) => (isFile(path) ? path : `${path}/**/*.test.{ts,tsx}`)),
  coverageAnalysis: 'perTest',
  concurrency: availableParallelism(),
  // Code that runs once when a file is loaded would need a process per mutant.
  ignoreStatic: true,
  // Texts and log lines are checked by the tests of texts or deliberately by none.
  mutator: { excludedMutations: ['StringLiteral'] },
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 30,
  tempDirName: '.cache/mutants',
  ignorePatterns: ['build', 'data', '.cache', 'test-results'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  thresholds: { high: 100, low: MIN_PERCENT, break: MIN_PERCENT },
}).runMutationTest();

/** @param {string} path a file, a range of its lines (file.ts:10-20) or a folder */
function filesIn(path) {
  if (isFile(path)) return [path];
  return readdirSync(path, { recursive: true })
    .filter(isFile)
    .map((file) => join(path, file));
}

function isFile(path) {
  return /\.tsx?(?::|$)/.test(path);
}

/** A range that was asked for is a sample already. */
function sampledRanges(file) {
  if (file.includes(':')) return [file];
  const lines = readFileSync(file, 'utf8').split('\n').length;
  return Array.from({ length: Math.ceil(lines / BLOCK_LINES) }, (_, block) => block * BLOCK_LINES + 1)
    .filter((first) => randomOf(`${values.seed} ${file} ${first}`) < share)
    .map((first) => `${file}:${first}-${first + BLOCK_LINES - 1}`);
}

/** A number from 0 to 1 that is the same for the same text. */
function randomOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
