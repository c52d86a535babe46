import { ERROR_STATUS, type ErrorCode, problemTexts } from '#contract/errors';

/** Only visits of codes get these. */
const OF_VISITS = /^code_(?!deleted)/;

/** The errors that programs may get. */
export function listErrors() {
  const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => !OF_VISITS.test(code));
  return codes.map((code) => ({ code, status: ERROR_STATUS[code], ...problemTexts(code) }));
}
