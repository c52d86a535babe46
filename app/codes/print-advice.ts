/** Light modules on every side, by ISO/IEC 18004. */
export const QUIET_ZONE = 4;
/** How far off a code is read, in widths of its dark symbol: a rule of the trade (delivr.com/faq/1289), not of ISO. */
const DISTANCE_RATIO = 10;
// Four dots of a 300 dpi printer, with a little room.
const MIN_MODULE_MM = 0.4;

/** What a code of `size` modules (quiet zone included) printed `mm` wide is good for; `across` with its frame. */
export function printAdvice({ size, across = size, mm }: { size: number; across?: number; mm: number }) {
  const moduleMm = mm / across;
  return {
    moduleMm,
    scanDistanceMm: Math.round(DISTANCE_RATIO * moduleMm * (size - 2 * QUIET_ZONE)),
    minPrintMm: Math.ceil(across * MIN_MODULE_MM),
  };
}
