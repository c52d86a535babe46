// Mutation testing: plants small defects, one at a time, and counts those that a test catches.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** Code on which money, privacy or exact counts depend. */
const FOLDERS = [
  'host/visits',
  'host/subscriptions',
  'host/payments',
  'host/sessions',
  'host/accounts',
  'host/codes',
  'app/http',
];
const MIN_PERCENT = 85;

// For example `npm run mutate host/visits`; without arguments, all folders above. `--tests=tests/host/visits` limits the
// tests, which makes a run of minutes out of one of hours: the score is then a lower bound.
const { values, positionals: requested } = parseArgs({
  options: { tests: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const paths = requested.length > 0 ? requested : FOLDERS;

await new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // A file, a range of its lines (file.ts:10-20) or a folder.
  mutate: paths.map((path) => (/\.tsx?(?::|$)/.test(path) ? path : `${path}/**/*.{ts,tsx}`)),
  ...(values.tests && { testFiles: values.tests.map((path) => `${path}/**/*.test.{ts,tsx}`) }),
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
