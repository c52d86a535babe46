import { CODE_TYPES, mainFieldOf } from '#contract/contents/contents';
import { IMPORT_ROWS, type ImportField, type ImportReport } from '#contract/imports';
import { firstCharacters } from '#contract/storable';
import { isContent } from '#host/codes/contents/hosted-types';
import { anglesOf, fieldsOf, isOwnExport, isShortAddress, sourceOf } from './headers';
import { FileRefused } from './text';

/** A row of a file that is not empty, without empty cells at its end; numbered from 1, as in spreadsheets. */
export interface Row {
  row: number;
  cells: string[];
  /** As it stands in the file. */
  raw: string;
}

/** Which column holds which field, and the rows below the headers. */
export interface Columns {
  source: ImportReport['source'];
  /** All codes are links, whatever another service calls their types. */
  holdsLinks: boolean;
  /** Those with anything in them, in file order. */
  columns: ImportReport['columns'];
  /** The field that each column holds, and how it is called. Columns end with the last one that has a header. */
  fields: (ImportField | null)[];
  headers: string[];
  /** The two columns that hold the position, latitude first; none if it stands in one. */
  angles: number[];
  tagSeparator: RegExp;
  /** Without headers, how many columns there are is only judged by the rows. */
  hasHeaders: boolean;
  rows: Row[];
}

/** Rows in which the headers are looked for: titles and empty rows may stand above them. */
export const HEADER_AREA = 20;
const SAMPLE = 50;
const HEADER_CHARACTERS = 100;
/** Found in no table header, but in nearly every image or program. */
const CONTROLS = /[^\P{Cc}\t\r\n]/u;

/** Maps the columns to fields. Refuses a file that is empty, too long, or without a column with the content of codes. */
export function readColumns(rows: Row[], isUsed: (column: number) => boolean): Columns {
  const found = findHeaders(rows);
  const names = found ? (rows[found.at]?.cells ?? []) : [];
  const below = found ? rows.slice(found.at + 1) : rows;
  const [first] = found ? rows.slice(found.at) : rows;
  if (!first) throw new FileRefused('import_empty');
  if (first.cells.some((cell) => CONTROLS.test(cell))) throw new FileRefused('import_not_csv');
  const fields = found?.fields ?? Array.from({ length: commonWidth(below) }, () => null);
  if (!hasContents(fields)) {
    const isFree = (column: number) => !fields[column] && !isShortAddress(names[column] ?? '');
    const place = findContents(below, fields.length, isFree);
    if (place < 0) throw new FileRefused('import_no_content');
    fields[place] = 'content';
    if (!found && fields.length > 1) fields[place === 0 ? 1 : 0] = 'name';
  }
  if (below.length === 0) throw new FileRefused('import_empty');
  if (below.length > IMPORT_ROWS) throw new FileRefused('import_too_many_rows');
  const headers = fields.map((_, column) => headerOf(names[column], column));
  const source = sourceOf(names);
  return {
    source,
    holdsLinks: (source !== 'other' && source !== 'quadrille') || names.some(isShortAddress),
    columns: headers.flatMap((header, column) =>
      isUsed(column) ? [{ header, field: fields[column] ?? null }] : [],
    ),
    fields,
    headers,
    angles: fields.filter((field) => field === 'position').length > 1 ? anglesOf(names) : [],
    tagSeparator: isOwnExport(names) ? /,/ : /[,;|]/,
    hasHeaders: found !== null,
    rows: below,
  };
}

interface Headers {
  /** Index of their row. */
  at: number;
  fields: (ImportField | null)[];
  /** Columns that they name. */
  named: number;
}

/**
 * The row that names the most columns, of those above the first content; null if none names any. A title above the
 * headers may hold an address as well.
 */
export function findHeaders(rows: readonly Row[]): Headers | null {
  let best: Headers | null = null;
  let isBelowContent = false;
  for (const [at, { cells }] of rows.slice(0, HEADER_AREA).entries()) {
    if (cells.some(isContent)) {
      if (best) break;
      isBelowContent = true;
      continue;
    }
    const fields = fieldsOf(cells);
    const named = fields.filter((field) => field !== null).length;
    const isSure = named > 1 && hasContents(fields);
    if (named > (best?.named ?? 0) && (isSure || !isBelowContent)) best = { at, fields, named };
  }
  return best;
}

/** Whether there is a column that every code of some type needs. */
function hasContents(fields: readonly (ImportField | null)[]): boolean {
  return CODE_TYPES.some((type) => fields.includes(mainFieldOf(type)));
}

/** Rows that have several cells, one of which is what a code can hold. */
export function countListed(rows: readonly Row[]): number {
  return rows.filter(({ cells }) => cells.length > 1 && cells.some(isContent)).length;
}

/** The free column that has contents in most rows, in at least half of them; -1 if there is none. */
function findContents(rows: readonly Row[], columns: number, isFree: (column: number) => boolean): number {
  const sample = rows.slice(0, SAMPLE);
  const counts = Array.from({ length: columns }, (_, column) =>
    isFree(column) ? sample.filter(({ cells }) => isContent(cells[column] ?? '')).length : 0,
  );
  const most = Math.max(...counts);
  return most > 0 && most >= sample.length / 2 ? counts.indexOf(most) : -1;
}

/** How many cells most rows have. */
function commonWidth(rows: readonly Row[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows.slice(0, SAMPLE))
    counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width = 0] = [...counts].sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB - rowsOfA || b - a)[0] ?? [];
  return width;
}

/** As in the file, or else as in spreadsheets: A to Z, then AA, AB and so on. */
function headerOf(name: string | undefined, column: number): string {
  return firstCharacters((name ?? '').trim(), HEADER_CHARACTERS) || spreadsheetName(column);
}

function spreadsheetName(column: number): string {
  const before = Math.floor(column / 26);
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % 26));
  return before === 0 ? letter : spreadsheetName(before - 1) + letter;
}
