import { exactOffsetAt } from '../local-time';

// Local times of time zones, from the zone data of the program that runs this. Browsers load it.

const DAY = 86_400_000;
/** Zones change their offset less often than this: Morocco, around Ramadan, most often. */
const STRIDE = 7 * DAY;

export function isTimeZone(name: string): boolean {
  try {
    return Number.isFinite(exactOffsetAt(name, 0));
  } catch {
    return false;
  }
}

/**
 * The instant of a local time such as `2026-03-29T02:30`, as RFC 5545 says: of a time that occurs twice the first, and
 * of one that is skipped what clocks show that were not set forward.
 */
export function instantOf(local: string, zone: string): number {
  const wall = Date.parse(`${local}Z`);
  return instantsOf(wall, zone)[0] ?? wall - exactOffsetAt(zone, wall - DAY);
}

/** Whether clocks show the local time of an instant again later or earlier. */
export function isRepeated(instant: number, zone: string): boolean {
  return instantsOf(instant + exactOffsetAt(zone, instant), zone).length > 1;
}

/** When clocks show a time, which is written as if it were in UTC. */
function instantsOf(wall: number, zone: string): number[] {
  const offsets = [exactOffsetAt(zone, wall - DAY), exactOffsetAt(zone, wall + DAY)];
  const candidates = new Set([wall - Math.max(...offsets), wall - Math.min(...offsets)]);
  return [...candidates].filter((instant) => instant + exactOffsetAt(zone, instant) === wall);
}

/** A local time such as `2026-03-29T03:30:00`. */
export function localTimeOf(instant: number, zone: string): string {
  return new Date(instant + exactOffsetAt(zone, instant)).toISOString().slice(0, 19);
}

export interface Transition {
  at: number;
  before: number;
  after: number;
}

/** When a zone changes its offset between two instants. */
export function listTransitions(from: number, to: number, zone: string): Transition[] {
  const found: Transition[] = [];
  for (let [at, before] = [from, exactOffsetAt(zone, from)]; at < to; at += STRIDE) {
    const after = exactOffsetAt(zone, at + STRIDE);
    if (after !== before) found.push({ at: findChange(at, at + STRIDE, before, zone), before, after });
    before = after;
  }
  return found;
}

function findChange(from: number, to: number, before: number, zone: string): number {
  let [low, high] = [from, to];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (exactOffsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
