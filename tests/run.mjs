// `npm test` runs all checks and tests. `npm test -- visits` runs all kinds of tests of one area: test files
// by parts of their paths, fuzz tests by parts of their URLs.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const names = process.argv.slice(2);
const filesOf = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .map((file) => join(folder, file))
    .filter((file) => ending.test(file) && names.some((name) => file.includes(name)));

if (names.length === 0) {
  for (const script of ['check', 'test:unit', 'test:e2e', 'test:fuzz']) run('npm', ['run', script]);
} else {
  const tests = filesOf('tests', /\.test\.tsx?$/);
  const journeys = filesOf('e2e', /\.spec\.ts$/);
  if (tests.length + journeys.length === 0) {
    process.stderr.write(`No file of tests/ or e2e/ has ${names.join(' or ')} in its path.\n`);
    process.exit(2);
  }
  if (tests.length > 0) run('npx', ['vitest', 'run', ...tests]);
  run('npm', ['run', 'build']);
  if (journeys.length > 0) run('node', ['e2e/run.mjs', ...journeys]);
  run('node', ['tests/fuzz/run.mjs', `--only=${names.join('|')}`]);
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
