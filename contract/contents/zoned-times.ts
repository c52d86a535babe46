// Local times of time zones, from the zone data of the program that runs this. Browsers load it.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Zones change their offset less often than this. */
const STRIDE = 7 * DAY;

const clocks = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(name: string): boolean {
  try {
    return Boolean(clockOf(name));
  } catch {
    return false;
  }
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  clocks.set(timeZone, clock);
  return clock;
}

/** Milliseconds that a zone is ahead of UTC at an instant. */
export function offsetAt(instant: number, zone: string): number {
  const read: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(instant)) read[type] = Number(value);
  const { year = 0, month = 1, day, hour, minute, second } = read;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
}

/**
 * The instant of a local time such as `2026-03-29T02:30`, as RFC 5545 says: of a time that occurs twice the first, and
 * of one that is skipped what clocks show that were not set forward.
 */
export function instantOf(local: string, zone: string): number {
  const wall = Date.parse(`${local}Z`);
  return instantsOf(wall, zone)[0] ?? wall - offsetAt(wall - DAY, zone);
}

/** Whether clocks show the local time of an instant again later or earlier. */
export function isRepeated(instant: number, zone: string): boolean {
  return instantsOf(instant + offsetAt(instant, zone), zone).length > 1;
}

/** When clocks show a time, which is written as if it were in UTC. */
function instantsOf(wall: number, zone: string): number[] {
  const offsets = [offsetAt(wall - DAY, zone), offsetAt(wall + DAY, zone)];
  const candidates = new Set([wall - Math.max(...offsets), wall - Math.min(...offsets)]);
  return [...candidates].filter((instant) => instant + offsetAt(instant, zone) === wall);
}

/** A local time such as `2026-03-29T03:30:00`. */
export function localTimeOf(instant: number, zone: string): string {
  return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 19);
}

export interface Transition {
  at: number;
  before: number;
  after: number;
}

/** When a zone changes its offset between two instants. */
export function listTransitions(from: number, to: number, zone: string): Transition[] {
  const found: Transition[] = [];
  for (let [at, before] = [from, offsetAt(from, zone)]; at < to; at += STRIDE) {
    const after = offsetAt(at + STRIDE, zone);
    if (after !== before) found.push({ at: findChange(at, at + STRIDE, before, zone), before, after });
    before = after;
  }
  return found;
}

function findChange(from: number, to: number, before: number, zone: string): number {
  let [low, high] = [from, to];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (offsetAt(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}
