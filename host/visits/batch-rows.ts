/** The rows under a key each, in the order of their keys. */
export function sorted<Row>(rows: Map<string, Row>): Row[] {
  const keys = [...rows.keys()].sort();
  return keys.map((key) => rows.get(key) as Row);
}

/** An array literal of PostgreSQL. The values hold no quote, comma or brace: ids, numbers and words of our own. */
export function list<Row>(rows: Row[], read: (row: Row) => string | number | boolean | null): string {
  let text = '{';
  let comma = '';
  for (const row of rows) {
    const value = read(row);
    text += `${comma}${value === null ? 'NULL' : value === '' ? '""' : value}`;
    comma = ',';
  }
  return `${text}}`;
}

/** An array literal for each of these columns. */
export function columns<Row>(rows: Row[], names: (keyof Row)[]): string[] {
  return names.map((name) => list(rows, (row) => row[name] as string | number | null));
}
