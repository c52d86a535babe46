import { countParts } from '~/codes/list/selection.server';
import { printable } from '~/i18n/printable.server';
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
