/** Reads RFC 4180 strictly: a byte order mark first, CRLF after every record, quotes where they are needed. */
export function readCsv(text: string): { columns: string[]; rows: Record<string, string>[] } {
  if (!text.startsWith('\uFEFF') || !text.endsWith('\r\n')) throw new Error('not a file of ours');
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;
  const records: string[][] = [[]];
  field.lastIndex = 1;
  while (field.lastIndex < text.length) {
    const [, written = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error('a field is not quoted as it must be');
    records.at(-1)?.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written);
    if (end === '\r\n') records.push([]);
  }
  const [columns = [], ...rows] = records.slice(0, -1);
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? '']))),
  };
}
