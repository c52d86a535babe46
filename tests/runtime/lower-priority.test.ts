import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { lowerPriority } from '../../runtime/lower-priority.mjs';

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
  lowerPriority(pid, PRIORITY);
  expect(getPriority(pid)).toBe(PRIORITY);
  const valueOfSession = groupsSessions
    ? /nice (\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1]
    : String(PRIORITY);
  expect(valueOfSession).toBe(String(PRIORITY));
});
