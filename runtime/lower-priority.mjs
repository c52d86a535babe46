import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Makes a program that leads a session of its own nicer to all others. Linux shares the processors out among sessions
 * first, each of which has a value too (`autogroup` in sched(7)); without it that of the program would mean nothing.
 */
export function lowerPriority(pid, nice) {
  setPriority(pid, nice);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // Another system, or one that does not group by session.
  }
}
