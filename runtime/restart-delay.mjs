const FIRST_MS = 250;
const LAST_MS = 10_000;

/**
 * Milliseconds before a program is started again: none after its first failure, then growing.
 *
 * @param {number} failures since it last worked
 */
export function restartDelay(failures) {
  return failures <= 1 ? 0 : Math.min(LAST_MS, FIRST_MS * 2 ** (failures - 2));
}
