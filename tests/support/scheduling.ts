import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Whether a process has the policy SCHED_RR: `policy`, the 41st value in proc_pid_stat(5). */
export function isRealTime(pid: number): boolean {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
  return afterName.split(' ')[38] === '2';
}

/** Whether the system lets this program give another one that policy. */
export async function mayBeRealTime(): Promise<boolean> {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  const { status } = spawnSync('chrt', ['--rr', '--pid', '1', String(other.pid)]);
  other.kill();
  return status === 0;
}
