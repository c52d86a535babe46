import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { setProgramPriority } from '../../runtime/priority.mjs';

const PRIORITY = 7;
const groupsSessions = existsSync('/proc/self/autogroup');

async function start() {
  const child = spawn('node', ['-e', 'setInterval(() => {}, 1_000)'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill());
  return child.pid ?? 0;
}

test('the value of a program counts within its session and among all', async () => {
  const pid = await start();
  setProgramPriority(pid, PRIORITY);
  expect(getPriority(pid)).toBe(PRIORITY);
  const valueOfSession = groupsSessions
    ? /nice (\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1]
    : String(PRIORITY);
  expect(valueOfSession).toBe(String(PRIORITY));
});

test('a program is raised where the system allows it, and else left as it is', async () => {
  const [other, pid] = [await start(), await start()];
  setProgramPriority(pid, -PRIORITY);
  expect(getPriority(pid)).toBe(mayRaise(other) ? -PRIORITY : 0);
  const script = `
    import { getPriority } from 'node:os';
    import { setProgramPriority } from './runtime/priority.mjs';
    if (process.getuid() === 0) process.setuid(65534);
    setProgramPriority(process.pid, -3);
    console.log(getPriority());`;
  const { stdout } = spawnSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout).toBe('0\n');
});

function mayRaise(pid: number): boolean {
  try {
    setPriority(pid, -1);
    return true;
  } catch {
    return false;
  }
}

test('a program in a session without a terminal sets its own', async () => {
  const script = `
    import { getPriority } from 'node:os';
    import { setOwnPriority } from './runtime/priority.mjs';
    setOwnPriority(3);
    console.log(getPriority());`;
  const child = spawn('node', ['--input-type=module', '-e', script], { detached: true });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await once(child, 'close');
  expect(said).toBe('3\n');
});
