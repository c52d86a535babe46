import { spawn } from 'node:child_process';
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
});

test('without privileges a program that is nicer already stays so', async () => {
  const lower = (nice: number) => `
    if (process.getuid() === 0) process.setuid(65534);
    setPriority(12);
    setProgramPriority(process.pid, ${nice});`;
  expect(await priorityAfter(lower(-3))).toBe('12');
  expect(await priorityAfter(lower(5))).toBe('12');
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
  expect(await priorityAfter('setOwnPriority(3);')).toBe('3');
});

/** The priority that a program in a session of its own has in the end. */
async function priorityAfter(act: string): Promise<string> {
  const script = `
    import { getPriority, setPriority } from 'node:os';
    import { setOwnPriority, setProgramPriority } from './runtime/priority.mjs';
    ${act}
    process.stdout.write(String(getPriority()));`;
  const child = spawn('node', ['--input-type=module', '-e', script], { detached: true });
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += chunk;
  });
  await once(child, 'close');
  return written;
}
