import { DEFAULT_TYPE, FIELDS } from '#contract/contents/contents';
import type { ImportField } from '#contract/imports';
import { HOSTED, isContent } from '#host/codes/contents/hosted-types';
import { isAddress } from '#host/codes/contents/link';
import type { Columns, Row } from './columns';
import { readType, readVisibility } from './words';

/** Fields whose texts may contain a delimiter; so may those of columns that mean nothing here. */
const FREE_TEXTS: (ImportField | null | undefined)[] = [
  null,
  'name',
  'tags',
  'subject',
  'body',
  'note',
  'description',
];
/** Characters of the longest text of a code. */
const LONGEST_TEXT = Math.max(...Object.values(FIELDS).map((rule) => ('max' in rule ? rule.max : 0)));
/** What can only be a part of an address, such as `c/page`, `b=1` or the second number of a place. */
const CONTINUATION = /^\S*[/?#=&%~]\S*$|^[-\d.]+[a-z]?$/i;

/**
 * The cells of a row under their columns. A cell that contains delimiters without quotes has become several, which are
 * joined again if they can belong to one column only; null if that is uncertain.
 */
export function fitCells(row: Row, columns: Columns, delimiter: string): readonly string[] | null {
  const { cells } = row;
  const { fields, hasHeaders } = columns;
  const surplus = cells.length - fields.length;
  if (surplus <= 0 && hasHeaders) return cells;
  if (surplus > LONGEST_TEXT) return null;
  const quoted = quotedCells(row.raw, delimiter);
  const at = fields.indexOf('content');
  const isWhole = (from: number, to: number) => quoted.slice(from, to + 1).every((isQuoted) => !isQuoted);
  if (surplus <= 0) {
    const next = cells[at + 1] ?? '';
    const isCut = isWhole(at, at + 1) && CONTINUATION.test(next) && !isContent(next);
    return isCut && isAddress(cells[at] ?? '') ? null : cells;
  }
  const free = fields.flatMap((field, place) => (FREE_TEXTS.includes(field) ? [place] : []));
  const places = [free.filter((place) => place < at), [at], free.filter((place) => place > at)];
  const fitting = places.filter(([place = -1]) => {
    if (place < 0 || !isWhole(place, place + surplus)) return false;
    const parts = cells.slice(place, place + surplus + 1);
    if (place !== at && parts.some((part) => /^\s*(?:https?:\/\/|www\.)/i.test(part))) return false;
    if (place === at && !hasHeaders && !parts.slice(1).some((part) => CONTINUATION.test(part))) return false;
    return isPlausible(joinCells(cells, place, surplus, delimiter), columns);
  });
  const [[place = -1, ...others] = [], ...otherwise] = fitting;
  const isCertain = place >= 0 && others.length === 0 && otherwise.length === 0;
  return isCertain ? joinCells(cells, place, surplus, delimiter) : null;
}

function joinCells(cells: readonly string[], from: number, surplus: number, delimiter: string): string[] {
  const joined = cells.slice(from, from + surplus + 1).join(delimiter);
  return [...cells.slice(0, from), joined, ...cells.slice(from + surplus + 1)];
}

/** Whether words and content stand where the headers say. */
function isPlausible(cells: readonly string[], { fields, holdsLinks }: Columns): boolean {
  const textOf = (field: ImportField) => (cells[fields.indexOf(field)] ?? '').trim();
  if (readVisibility(textOf('visibility')) === undefined) return false;
  const content = textOf('content');
  const type = holdsLinks ? DEFAULT_TYPE : readType(textOf('type'));
  if (type === undefined) return false;
  return type && HOSTED[type].accepts ? HOSTED[type].accepts(content) : isContent(content);
}

/** Which cells of a row stand in quotes. */
function quotedCells(raw: string, delimiter: string): boolean[] {
  const flags: boolean[] = [];
  if (!raw.includes('"')) return flags;
  const inQuotes = /"[^"]*(?:""[^"]*)*"/y;
  for (let at = 0; at >= 0; ) {
    inQuotes.lastIndex = at;
    const isQuoted = inQuotes.test(raw);
    flags.push(isQuoted);
    const end = raw.indexOf(delimiter, isQuoted ? inQuotes.lastIndex : at);
    at = end < 0 ? -1 : end + 1;
  }
  return flags;
}
