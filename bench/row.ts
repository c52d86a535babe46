/** One line of the report: a figure, its limit, and a reference figure measured in the same run. */
export interface Row {
  what: string;
  figure: string;
  bar: string;
  ok: boolean;
  yardstick?: string;
  /** Whether the pace of the machine changed meanwhile, so that the figure says little. */
  isNoisy?: boolean;
}

export function table(rows: Row[]): string {
  const lines = [
    ['what', 'figure', 'bar', 'yardstick in the same run', 'ok'],
    ...rows.map(({ what, figure, bar, yardstick, ok, isNoisy }) => [
      what,
      figure,
      bar,
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
