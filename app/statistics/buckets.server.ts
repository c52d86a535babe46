const DAYS_OF_A_WEEK = 7;
/** Periods with more days than this are drawn by week. */
const LONGEST_BY_DAY = 120;

/** One column of a chart: a day, or several in a row. */
export interface Bucket {
  from: string;
  to: string;
  days: number;
  /** Whether its last day is not over yet. */
  isUnfinished: boolean;
}

export type Day<Name extends string> = { day: string } & Record<Name, number>;

/**
 * The days of a period, or its weeks when there are too many days to tell apart. Weeks are aligned to the end, so that
 * the last one is whole; leftover days at the start form their own bucket, or join the first week if few. `today` is a
 * date in the time zone of the days counted.
 */
export function bucketsOf<Name extends string>(
  days: Day<Name>[],
  names: readonly Name[],
  today: string,
): (Bucket & Record<Name, number>)[] {
  return piecesOf(days).map((piece) => {
    const sums = Object.fromEntries(
      names.map((name) => [name, piece.reduce((sum, day) => sum + day[name], 0)]),
    ) as Record<Name, number>;
    const to = piece.at(-1)?.day ?? '';
    return { from: piece[0]?.day ?? '', to, days: piece.length, isUnfinished: to >= today, ...sums };
  });
}

function piecesOf<Item>(days: Item[]): Item[][] {
  if (days.length <= LONGEST_BY_DAY) return days.map((day) => [day]);
  const left = days.length % DAYS_OF_A_WEEK;
  const isShort = left < DAYS_OF_A_WEEK / 2;
  const first = isShort ? left + DAYS_OF_A_WEEK : left;
  const pieces = [days.slice(0, first)];
  for (let at = first; at < days.length; at += DAYS_OF_A_WEEK) {
    pieces.push(days.slice(at, at + DAYS_OF_A_WEEK));
  }
  return pieces;
}
