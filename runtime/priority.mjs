import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Sets the niceness of a program that leads a session of its own: from 19, nicest to others, to -20. Linux shares the
 * processors out among sessions first, each of which has a value too (`autogroup` in sched(7)); without it that of the
 * program would mean nothing. A value below the present one needs root or CAP_SYS_NICE; without them it stays as it is.
 */
export function setProgramPriority(pid, nice) {
  try {
    setPriority(pid, nice);
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(error.info?.code)) return;
    throw error;
  }
  setSessionPriority(pid, nice);
}

/** The same for this program, but not for the session of a terminal, which has other programs. */
export function setOwnPriority(nice) {
  if (hasTerminal()) return;
  setProgramPriority(process.pid, nice);
}

/**
 * Lets a process run whenever it is ready, before all programs without a real-time policy, however busy they are
 * (`SCHED_RR` in sched(7)). For one that works briefly and then waits. Needs Linux with chrt(1), and root or
 * CAP_SYS_NICE; without them its policy stays as it is.
 */
export function setRealTimePolicy(pid) {
  execFile('chrt', ['--rr', '--pid', '1', String(pid)], () => undefined);
}

function setSessionPriority(pid, nice) {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // Another system, or one that does not group by session.
  }
}

/** Whether the session has a controlling terminal: `tty_nr` in proc_pid_stat(5). */
function hasTerminal() {
  try {
    const [, , , , terminal] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return terminal !== '0';
  } catch {
    return Boolean(process.stdin.isTTY);
  }
}
