import { isStorable } from './storable';

// Rules of what its owner calls a code: its name and its tags. Lengths are in characters (code points), as typed.

export const NAME_LIMIT = 80;
export const TAG_LIMIT = 30;
export const TAGS_PER_CODE = 10;
export const TAGS_PER_ACCOUNT = 200;

type NameProblem = 'name_too_long' | 'name_invalid';
type TagsProblem = 'tag_too_long' | 'tag_invalid' | 'tags_too_many';

/** They let a text show in another order than it is stored in (Unicode UAX 9, section 2). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What nobody sees: separators and controls, and format characters such as a byte order mark. */
const INVISIBLE = /^[\p{Z}\p{C}\p{M}]*$/u;

/** A typed name as it is kept: null where none is left, or what is wrong with it. */
export function readName(typed: string): { name: string | null } | { problem: NameProblem } {
  const name = tidyLabel(typed);
  if (isBroken(name)) return { problem: 'name_invalid' };
  if (isLonger(name, NAME_LIMIT)) return { problem: 'name_too_long' };
  return { name: INVISIBLE.test(name) ? null : name };
}

/**
 * Typed tags as they are kept, without empty ones, and of equal ones the first; or the first thing that is wrong. A
 * comma separates tags, so that a text field can hold several.
 */
export function readTags(typed: readonly string[]): { tags: string[] } | { problem: TagsProblem } {
  const tags = new Map<string, string>();
  for (const tag of typed.flatMap((text) => text.split(',')).map(tidyLabel)) {
    if (isBroken(tag)) return { problem: 'tag_invalid' };
    if (isLonger(tag, TAG_LIMIT)) return { problem: 'tag_too_long' };
    if (INVISIBLE.test(tag)) continue;
    const key = foldLabel(tag);
    if (!tags.has(key)) tags.set(key, tag);
  }
  return tags.size > TAGS_PER_CODE ? { problem: 'tags_too_many' } : { tags: [...tags.values()] };
}

/** The same for two texts that differ only in case, accents, Unicode form or space; to compare and to search, not to show. */
export function foldLabel(text: string): string {
  const letters = text.normalize('NFKD').replace(/[\u0300-\u036f\ufe0f]/g, '');
  return tidyLabel(letters.toUpperCase().toLowerCase());
}

function tidyLabel(typed: string): string {
  return typed.replace(BIDI_CONTROLS, '').replace(/\s+/g, ' ').trim().normalize('NFC');
}

function isBroken(text: string): boolean {
  return !isStorable(text) || /\p{Cc}/u.test(text);
}

function isLonger(text: string, limit: number): boolean {
  // Every character is one UTF-16 unit or two.
  return text.length > 2 * limit || Array.from(text).length > limit;
}
