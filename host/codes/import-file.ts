import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { IMPORT_ROWS, type ImportReport } from '#contract/imports';
import { invalidField } from '#host/http/errors';

/** A parsed CSV file. Rows are numbered from 1, as in spreadsheets; empty ones are left out. */
export interface ReadFile {
  encoding: ImportReport['encoding'];
  delimiter: ImportReport['delimiter'];
  rows: { row: number; cells: string[] }[];
}

/** Found in no table header, but in nearly every image or program. */
const CONTROLS = /[^\P{Cc}\t\r\n]/u;
const CHUNK = 64 * 1024;
const MAX_COLUMNS = 200;
/** More than any spreadsheet allows in one cell. */
const RECORD_CHARACTERS = 1_000_000;

/** Parses a file in chunks, so that other work is not blocked. Refuses the field `file` if it is not CSV. */
export async function readImportFile(bytes: Uint8Array): Promise<ReadFile> {
  const { encoding, text } = decode(bytes);
  const delimiter = delimiterOf(text);
  // The parser joins characters that are cut between two chunks of bytes, but not between two strings.
  const encoded = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(encoded.length / CHUNK) }, (_, index) =>
    encoded.subarray(index * CHUNK, (index + 1) * CHUNK),
  );
  const parser = Readable.from(chunks).pipe(
    parse({
      delimiter,
      // A quote inside a cell is literal, as in a formula.
      relax_quotes: true,
      relax_column_count: true,
      max_record_size: RECORD_CHARACTERS,
      record_delimiter: ['\r\n', '\n', '\r'],
    }),
  );
  const rows: ReadFile['rows'] = [];
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1;
      if (cells.length > MAX_COLUMNS) throw invalidField('file', 'import_not_csv');
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ row, cells });
      if (rows.length > IMPORT_ROWS + 1) throw invalidField('file', 'import_too_many_rows');
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw invalidField('file', 'import_not_csv');
  }
  if (rows[0]?.cells.some((header) => CONTROLS.test(header))) throw invalidField('file', 'import_not_csv');
  return { encoding, delimiter, rows };
}

/**
 * Decodes by the byte order mark; without one as UTF-8 if valid, otherwise in the encoding that Windows used to write.
 */
function decode(bytes: Uint8Array): { encoding: ReadFile['encoding']; text: string } {
  const starts = (...mark: number[]) => mark.every((byte, index) => bytes[index] === byte);
  // Spreadsheets and archives (PKZIP), and the files of Excel before 2007 (CFB).
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0xd0, 0xcf, 0x11, 0xe0))
    throw invalidField('file', 'import_not_csv');
  const zeros = (start: number) => {
    const sample = bytes.subarray(0, 200).filter((_, index) => index % 2 === start);
    return sample.length > 0 && sample.filter((byte) => byte === 0).length > sample.length / 2;
  };
  if (starts(0xff, 0xfe) || zeros(1))
    return { encoding: 'utf-16', text: new TextDecoder('utf-16le').decode(bytes) };
  if (starts(0xfe, 0xff) || zeros(0))
    return { encoding: 'utf-16', text: new TextDecoder('utf-16be').decode(bytes) };
  try {
    return { encoding: 'utf-8', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { encoding: 'windows-1252', text: new TextDecoder('windows-1252').decode(bytes) };
  }
}

/** The most frequent delimiter of the first line. */
function delimiterOf(text: string): ReadFile['delimiter'] {
  const [line = ''] = text.replace(/"(?:[^"]|"")*"/g, '""').split(/\r|\n/, 1);
  const counted = ([',', ';', '\t'] as const).map(
    (delimiter) => [line.split(delimiter).length, delimiter] as const,
  );
  return counted.reduce((most, one) => (one[0] > most[0] ? one : most))[1];
}
