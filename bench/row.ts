/** One line of the report: a figure, its limit, and a reference figure measured in the same run. */
export interface Row {
  what: string;
  figure: string;
  bar: string;
  ok: boolean;
  yardstick?: string;
}
