/**
 * How tables for download are written by `csv-stringify`: in the host's format (`contract/exports.ts`), which also
 * escapes text that a spreadsheet would treat as a formula.
 */
export const CSV_FORMAT = {
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
  escape_formulas: true,
} as const;
