import { DAY_MS, MINUTE_MS } from './time';

// What the clocks of a time zone show. Browsers load this, so it must not need Node or a library.

/** The clocks of every zone change at a multiple of it. */
const SLOT_MS = 15 * MINUTE_MS;
const MAX_ZONES = 200;
/** Earlier, every zone has the offset that it has here, and `Date.UTC` reads the year 26 as 1926. */
const EARLIEST = Date.UTC(1000, 0, 1);
const LAST_YEAR = 9999;

interface Zone {
  format: Intl.DateTimeFormat;
  /** The last time asked for, in whole slots, and its offset: formatting takes a hundred times as long. */
  slot: number;
  offsetMs: number;
}

const zones = new Map<string, Zone>();

export interface LocalTime {
  /** Days since 1970-01-01. */
  day: number;
  /** Since midnight, by the clock. */
  minutes: number;
}

/** How far the clocks of a zone are ahead of UTC; times are milliseconds since the epoch. */
export function offsetAt(timeZone: string, at: number): number {
  const zone = zoneOf(timeZone);
  const slot = Math.floor(at / SLOT_MS);
  if (zone.slot !== slot) {
    zone.offsetMs = readOffset(zone.format, Math.max(slot * SLOT_MS, EARLIEST));
    zone.slot = slot;
  }
  return zone.offsetMs;
}

/** The same to the second: a few clocks were changed a minute after midnight. */
export function exactOffsetAt(timeZone: string, at: number): number {
  return readOffset(zoneOf(timeZone).format, Math.floor(at / 1000) * 1000);
}

export function localTimeOf(timeZone: string, at: number): LocalTime {
  const local = at + offsetAt(timeZone, at);
  const day = Math.floor(local / DAY_MS);
  return { day, minutes: Math.floor((local - day * DAY_MS) / MINUTE_MS) };
}

/** As the value of an input for date and time: `2026-03-29T17:30`. */
export function localText(timeZone: string, at: number): string {
  return new Date(at + offsetAt(timeZone, at)).toISOString().slice(0, 16);
}

/**
 * When the clocks show a date and time, as in `2026-03-29T17:30`: the first time if they do so twice, and as if they
 * had not yet been put forward if they skip it. Null for what is no date and time, for years before 1000, which are
 * typed by mistake, and for moments after the last year that is written with four digits.
 */
export function momentOf(timeZone: string, local: string): number | null {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return null;
  const shown = Date.parse(`${local}Z`);
  // Such as 30 February, which is read as 2 March.
  if (Number.isNaN(shown) || !new Date(shown).toISOString().startsWith(local)) return null;
  const before = shown - offsetAt(timeZone, shown - DAY_MS);
  const after = shown - offsetAt(timeZone, shown + DAY_MS);
  const isShown = (at: number) => at + offsetAt(timeZone, at) === shown;
  const moment = [before, after].sort((a, b) => a - b).find(isShown) ?? before;
  return new Date(moment).getUTCFullYear() > LAST_YEAR ? null : moment;
}

/** The number of the day of a date, as in `2026-03-29`. */
export function dayOf(date: string): number {
  return Date.parse(date) / DAY_MS;
}

/** 1 is Monday. */
export function weekdayOf(day: number): number {
  // 1 January 1970 was a Thursday.
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (!zone) {
    if (zones.size >= MAX_ZONES) zones.clear();
    const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    zone = { format, slot: Number.NaN, offsetMs: 0 };
    zones.set(timeZone, zone);
  }
  return zone;
}

function readOffset(format: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
}
