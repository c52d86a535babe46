/** One line of the report: a figure, the limit it must meet, and what was measured with it in the same run. */
export interface Row {
  what: string;
  figure: string;
  bar: string;
  ok: boolean;
  yardstick?: string;
}
