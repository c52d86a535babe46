import { parse } from 'csv-parse/sync';
import { IMPORT_ROWS, type ImportReport } from '#contract/imports';
import { countListed, findHeaders, HEADER_AREA, type Row } from './columns';
import { decodeText, FileRefused } from './text';

type Delimiter = ImportReport['delimiter'];

/** A parsed CSV file. */
export interface ReadFile {
  encoding: ImportReport['encoding'];
  delimiter: Delimiter;
  rows: Row[];
  /** Whether any row has something in a column. */
  isUsed: (column: number) => boolean;
}

const DELIMITERS: Delimiter[] = [',', ';', '\t', '|'];
const MAX_COLUMNS = 200;
/** Of Excel and LibreOffice. */
const SPREADSHEET_COLUMNS = 16_384;
/** Some programs write an empty line after each row. */
const MAX_LINES = 2 * IMPORT_ROWS + HEADER_AREA;
/** More than any spreadsheet allows in one cell. */
const RECORD_CHARACTERS = 1_000_000;
const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];
/** A line for Excel, which neither Excel nor LibreOffice shows as a row. */
const DELIMITER_LINE = /^"?sep=(\\t|[,;|\t])"?[,;|\t]*(?:\r\n|\n|\r|$)/i;

/** Parses a file; throws `FileRefused` if it is not CSV. */
export function readImportFile(bytes: Uint8Array): ReadFile {
  const { encoding, text } = decodeText(bytes);
  const [line = '', named] = DELIMITER_LINE.exec(text) ?? [];
  const table = Buffer.from(withoutEmptyEnd(text.slice(line.length).replace(/^\ufeff/, '')));
  if (isWide(table)) throw new FileRefused('import_too_many_columns');
  const delimiter = DELIMITERS.find((one) => one === named) ?? (named ? '\t' : findDelimiter(table));
  const used = new Set<number>();
  let rows = 0;
  const read = parseRows(table, delimiter, MAX_LINES + 1, ({ row, cells }) => {
    if (cells.length > 0) rows += 1;
    for (const [column, cell] of cells.entries()) if (cell.trim() !== '') used.add(column);
    if (used.size > MAX_COLUMNS || cells.length > SPREADSHEET_COLUMNS)
      throw new FileRefused('import_too_many_columns');
    if (row > MAX_LINES || rows > IMPORT_ROWS + HEADER_AREA) throw new FileRefused('import_too_many_rows');
  });
  return { encoding, delimiter, rows: read, isUsed: (column) => used.has(column) };
}

/** Drops empty lines at the end, of which spreadsheets can write a million. */
function withoutEmptyEnd(text: string): string {
  let last = text.length - 1;
  while (last >= 0 && '\r\n \t,;|'.includes(text[last] ?? '')) last -= 1;
  const end = /[\r\n]/g;
  end.lastIndex = last + 1;
  return text.slice(0, end.exec(text)?.index);
}

/** Whether a line has more columns than any spreadsheet; the parser would first make a cell of each. */
function isWide(table: Buffer): boolean {
  return DELIMITERS.some((delimiter) => {
    let [columns, isQuoted] = [0, false];
    for (const byte of table) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) columns = 0;
      else if (byte === delimiter.charCodeAt(0)) columns += 1;
      if (columns > SPREADSHEET_COLUMNS) return true;
    }
    return false;
  });
}

/** By which the headers are recognised best; without headers, by which most rows have a cell with content. */
function findDelimiter(table: Buffer): Delimiter {
  const counted = DELIMITERS.map((delimiter) => {
    const sample = sampleRows(table, delimiter);
    return { delimiter, named: findHeaders(sample)?.named ?? 0, listed: countListed(sample) };
  });
  const best = counted.reduce((most, one) =>
    one.named > most.named || (one.named === most.named && one.listed > most.listed) ? one : most,
  );
  return best.delimiter;
}

function sampleRows(table: Buffer, delimiter: Delimiter): Row[] {
  try {
    return parseRows(table, delimiter, 2 * HEADER_AREA);
  } catch {
    return [];
  }
}

/** The first lines as rows, without empty ones; throws what `check` throws for a line, or `FileRefused`. */
function parseRows(table: Buffer, delimiter: Delimiter, lines: number, check?: (row: Row) => void): Row[] {
  let row = 0;
  const readRow = ({ record, raw }: { record: string[]; raw: string }): Row | null => {
    row += 1;
    const last = record.findLastIndex((cell) => cell.trim() !== '');
    const read = { row, cells: record.slice(0, last + 1), raw };
    check?.(read);
    return last < 0 ? null : read;
  };
  try {
    return parse(table, {
      delimiter,
      raw: true,
      // A quote inside a cell is literal, as in a formula.
      relax_quotes: true,
      relax_column_count: true,
      max_record_size: RECORD_CHARACTERS,
      record_delimiter: ['\r\n', '\n', '\r'],
      to: lines,
      on_record: readRow as never,
    }) as unknown as Row[];
  } catch (error) {
    if (error instanceof FileRefused) throw error;
    throw new FileRefused('import_not_csv', { cause: error });
  }
}
