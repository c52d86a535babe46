// `npm test` runs all checks and tests. `npm test -- visits` runs all kinds of tests of one area: test files
// by parts of their paths, fuzz tests by parts of their URLs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const names = process.argv.slice(2);
const filesOf = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .map((file) => join(folder, file))
    .filter((file) => ending.test(file) && names.some((name) => file.includes(name)));

if (names.length === 0) {
  // Neither of these two keeps a second core busy.
  const both = ['check', 'build'].map((script) => spawn('npm', ['run', script], { stdio: 'inherit' }));
  const ended = await Promise.all(both.map((child) => once(child, 'exit')));
  if (ended.some(([status]) => status !== 0)) process.exit(1);
  run('npm', ['run', 'test:unit']);
  run('node', ['e2e/run.mjs']);
  run('npm', ['run', 'test:fuzz']);
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
