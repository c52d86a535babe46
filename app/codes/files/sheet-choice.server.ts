import { countParts } from '~/codes/list/selection.server';
import { isLayout, type LayoutName, layOut } from './sheet-layouts';

export const CAPTIONS = ['both', 'name', 'action', 'none'] as const;
export type Caption = (typeof CAPTIONS)[number];
/** Maximum length of a call to action, in characters. */
const ACTION_LIMIT = 60;
/** Maximum number of codes in one file. */
export const SHEET_LIMIT = 480;

export const SHEET_FIELDS = ['layout', 'start', 'marks', 'caption', 'action', 'part'] as const;
export type SheetField = (typeof SHEET_FIELDS)[number];

export interface SheetChoice {
  layout: LayoutName;
  /** The label to start with, from 1. */
  start: number;
  hasCutMarks: boolean;
  caption: Caption;
  action: string;
}

type Problem = {
  field: SheetField;
  key: 'layout' | 'start' | 'caption' | 'action' | 'actionLetters' | 'part';
};

/**
 * Parses the choices from form fields or a query, with defaults for empty ones; `usualAction` is the default
 * call to action in the reader's language. Also returns the values as typed, to show them again.
 */
export function readSheetChoice(
  fields: FormData | URLSearchParams,
  count: number,
  usualAction: string,
): { values: Record<SheetField, string>; choice: SheetChoice; problems: Problem[] } {
  const entered = (name: SheetField, usual: string) => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : usual;
  };
  const values = {
    layout: entered('layout', 'a4-24'),
    start: entered('start', '1') || '1',
    marks: entered('marks', ''),
    caption: entered('caption', 'both'),
    action: entered('action', usualAction),
    part: entered('part', '1'),
  };
  const problems: Problem[] = [];
  const layout = isLayout(values.layout) ? values.layout : 'a4-24';
  if (layout !== values.layout) problems.push({ field: 'layout', key: 'layout' });
  const start = wholeNumber(values.start);
  if (start < 1 || start > layOut(layout, false).places.length)
    problems.push({ field: 'start', key: 'start' });
  const caption = CAPTIONS.find((known) => known === values.caption) ?? 'both';
  if (caption !== values.caption) problems.push({ field: 'caption', key: 'caption' });
  const isTooLong = [...values.action].length > ACTION_LIMIT;
  const action = isTooLong ? null : printable(values.action);
  if (isTooLong) problems.push({ field: 'action', key: 'action' });
  else if (action === null) problems.push({ field: 'action', key: 'actionLetters' });
  const part = wholeNumber(values.part);
  if (part < 1 || part > countParts(count, SHEET_LIMIT)) problems.push({ field: 'part', key: 'part' });
  const hasCutMarks = values.marks === 'on';
  return { values, choice: { layout, start, hasCutMarks, caption, action: action ?? '' }, problems };
}

/** 0 if `typed` is not a whole number. */
function wholeNumber(entered: string): number {
  return /^\d{1,4}$/.test(entered) ? Number(entered) : 0;
}

/** Characters in the font of print sheets: Latin, Greek and Cyrillic letters, punctuation, currencies. */
const DRAWN = /^[\u0020-\u007e\u00a0-\u052f\u1e00-\u20be\u2100-\u214f]*$/;
/** Dropped: invisible characters, and emoji with their variation selectors and modifiers. */
const LEFT_OUT =
  /(?![©®™])[\ufe00-\ufe0f\u20e3\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
/** Without a glyph of their own: unassigned code points within those ranges, and combining marks. */
const HOLES = /[\p{Cn}\p{M}]/u;

/** A text as the font of print sheets can draw it; null where it has letters that the font lacks, or only emoji. */
export function printable(text: string): string | null {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').replace(LEFT_OUT, '').replace(/ +/g, ' ').trim();
  if (line === '' && text.trim() !== '') return null;
  const plain = DRAWN.test(line) ? line : line.normalize('NFKC');
  return DRAWN.test(plain) && !HOLES.test(plain) ? plain : null;
}
