/** One line of the report: a figure, its limit, and a reference figure measured in the same run. */
export interface Row {
  what: string;
  figure: string;
  bar: string;
  ok: boolean;
  /** What it is meant to become, if it has not yet: a missed aim is no defect, as a missed limit is. */
  aim?: { bar: string; reached: boolean };
  yardstick?: string;
  /** Whether the pace of the machine changed meanwhile, so that the figure says little. */
  isNoisy?: boolean;
}

export function table(rows: Row[]): string {
  const lines = [
    ['what', 'figure', 'limit', 'aim', 'yardstick in the same run', 'ok'],
    ...rows.map(({ what, figure, bar, aim, yardstick, ok, isNoisy }) => [
      what,
      figure,
      bar,
      aim ? `${aim.bar}${aim.reached ? '' : ', missed'}` : '–',
      yardstick ?? '–',
      `${ok ? 'yes' : 'NO'}${isNoisy ? ', noisy' : ''}`,
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Median of an odd number of rounds, so that one disturbed round does not matter. */
export function median<Item>(items: Item[], read: (item: Item) => number): number {
  return items.map(read).sort((a, b) => a - b)[Math.floor(items.length / 2)] ?? 0;
}

/** Median, lowest and highest, such as `28 (26–31)`. */
export function spread<Item>(items: Item[], read: (item: Item) => number, digits = 0): string {
  const values = items.map(read);
  const [middle, least, most] = [median(values, (value) => value), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}
