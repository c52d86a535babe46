import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

const LOADED = 'process.send("loaded")';
const WAIT = 'setInterval(() => {}, 1_000)';

function start(code: string): ChildProcess {
  const args = ['--import', './runtime/end-with-launcher.mjs', '-e', code];
  const child = spawn('node', args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a program ends when its launcher is gone', async () => {
  const program = start(`${LOADED}; ${WAIT}`);
  await once(program, 'message');
  program.disconnect();
  expect(await once(program, 'exit')).toEqual([null, 'SIGTERM']);
});

test('a program ends even if its launcher was gone before the program was loaded', async () => {
  const program = start(WAIT);
  program.disconnect();
  expect(await once(program, 'exit')).toEqual([null, 'SIGTERM']);
});

test('a program with a launcher goes on, and so do its threads', async () => {
  const thread = `new (require('node:worker_threads').Worker)('', { eval: true }).once('exit', () => ${LOADED})`;
  const program = start(`${thread}; ${WAIT}`);
  expect(await once(program, 'message')).toContain('loaded');
  expect([program.exitCode, program.signalCode]).toEqual([null, null]);
});
