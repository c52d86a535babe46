const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** The seller's days: deadlines of the contract run from midnight to midnight of these. */
const TIME_ZONE = 'Europe/Paris';

const dateFormat = new Intl.DateTimeFormat('en-CA', {
  timeZone: TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Public holidays of France that have a date (labour code L3133-1), as month and day. */
const FIXED_HOLIDAYS = new Set(['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25']);
/** Easter Monday, Ascension Day and Whit Monday, in days after Easter. */
const MOVABLE_HOLIDAYS = new Set([1, 39, 50]);

/** The day in Paris, as midnight UTC of its date: a number to count days with, not a moment. */
export function parisDay(moment: Date): number {
  return Date.parse(dateFormat.format(moment));
}

/** When such a day begins in Paris. Clocks there are one or two hours ahead of UTC, and never change at midnight. */
export function startOfParisDay(day: number): Date {
  const inSummer = new Date(day - 2 * HOUR_MS);
  return parisDay(inSummer) === day ? inSummer : new Date(day - HOUR_MS);
}

/** Whether such a day is neither a Saturday, a Sunday nor a public holiday in France. */
export function isWorkingDay(day: number): boolean {
  const date = new Date(day);
  if (date.getUTCDay() === 0 || date.getUTCDay() === 6) return false;
  if (FIXED_HOLIDAYS.has(date.toISOString().slice(5, 10))) return false;
  return !MOVABLE_HOLIDAYS.has((day - easterOf(date.getUTCFullYear())) / DAY_MS);
}

/** Easter Sunday of the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
export function easterOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const leapCenturies = Math.floor(century / 4);
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - moonShift + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const place = epact + weekday - 7 * late + 114;
  return Date.UTC(year, Math.floor(place / 31) - 1, (place % 31) + 1);
}
