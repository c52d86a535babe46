/** Light modules on every side, by ISO/IEC 18004. */
export const QUIET_ZONE = 4;
/** Scanning distance in widths of the dark symbol: an industry rule of thumb (delivr.com/faq/1289), not ISO. */
const DISTANCE_RATIO = 10;
// Four dots of a 300 dpi printer, with a little margin.
const MIN_MODULE_MM = 0.4;

/** How well a code of `size` modules (with quiet zone; `across` with its frame) scans when printed `mm` wide. */
export function printAdvice({ size, across = size, mm }: { size: number; across?: number; mm: number }) {
  const moduleMm = mm / across;
  return {
    moduleMm,
    scanDistanceMm: Math.round(DISTANCE_RATIO * moduleMm * (size - 2 * QUIET_ZONE)),
    minPrintMm: leastWidth({ size, across }),
  };
}

/** The least printed width of such a code that scans well, in millimetres. */
export function leastWidth({ size, across = size }: { size: number; across?: number }): number {
  return Math.ceil(across * MIN_MODULE_MM);
}
