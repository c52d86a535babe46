// Plants small defects, one at a time, and counts those that a test notices: `npm run mutate host/visits`.
import { availableParallelism } from 'node:os';
import { Stryker } from '@stryker-mutator/core';

/** What money, privacy and exactness depend on. */
const FOLDERS = [
  'host/visits',
  'host/subscriptions',
  'host/payments',
  'host/sessions',
  'host/accounts',
  'host/codes',
  'app/http',
];
const LEAST_PERCENT = 85;

const asked = process.argv.slice(2);
const paths = asked.length > 0 ? asked : FOLDERS;

await new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // A file, a range of its lines (file.ts:10-20) or a folder.
  mutate: paths.map((path) => (/\.tsx?(?::|$)/.test(path) ? path : `${path}/**/*.{ts,tsx}`)),
  coverageAnalysis: 'perTest',
  concurrency: availableParallelism(),
  // What is done once when a file is loaded would need a process for each defect.
  ignoreStatic: true,
  // Sentences and log lines are held by the tests of texts, or by none on purpose.
  mutator: { excludedMutations: ['StringLiteral'] },
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 30,
  tempDirName: '.cache/mutants',
  ignorePatterns: ['build', 'data', '.cache', 'test-results'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  thresholds: { high: 100, low: LEAST_PERCENT, break: LEAST_PERCENT },
}).runMutationTest();
