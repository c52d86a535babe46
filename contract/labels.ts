import { z } from 'zod';
import { call, dataOf } from './call';
import { BIDI_CONTROLS, withoutInvisible } from './invisible';
import { isLonger, isStorable } from './storable';

// Rules for a code's name and tags. Lengths are in characters (code points), as typed.

export const NAME_LIMIT = 80;
export const TAG_LIMIT = 30;
export const TAGS_PER_CODE = 10;
export const TAGS_PER_ACCOUNT = 200;
/** Most UTF-16 code units read from their fields, valid or not. */
export const TYPED_NAME = 500;
export const TYPED_TAGS = 1_000;

type NameProblem = 'name_too_long' | 'name_invalid';
type TagsProblem = 'tag_too_long' | 'tag_invalid' | 'accents_only' | 'tags_too_many';

/** Most UTF-16 units that a character decomposes into; texts too long even so are not normalised. */
const DECOMPOSED = 4;
/** Most UTF-16 units of all tags as typed: twice what is valid, which leaves room for spaces, commas and duplicates. */
const TAGS_UNITS = 2 * DECOMPOSED * TAG_LIMIT * TAGS_PER_CODE;
const LONG_TAG = new RegExp(`[^,]{${DECOMPOSED * TAG_LIMIT + 1}}`);
/** The longest name or typed search, decomposed. */
const FOLDED_UNITS = DECOMPOSED * 256;
/** Letters and signs that are typed as others where a keyboard lacks them, and that Unicode does not decompose. */
const TYPED_AS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  ʼ: "'",
  ʻ: "'",
  '′': "'",
  '‹': "'",
  '›': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
};
const TYPED_OTHERWISE = new RegExp(`[${Object.keys(TYPED_AS).join('')}]`, 'g');
/** Accents, and what `withoutInvisible` removes or leaves only for its looks. */
const IGNORED = /[\u0300-\u036f\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu;
const DIRECTIONS = new RegExp(BIDI_CONTROLS, 'g');
/** Only invisible characters: separators, controls, and format characters such as a byte order mark. */
const INVISIBLE = /^[\p{Z}\p{C}\p{M}]*$/u;

/** A typed name as stored, null if nothing is left; or its problem. */
export function readName(entered: string): { name: string | null } | { problem: NameProblem } {
  const line = lineOf(entered);
  if (line.length > DECOMPOSED * NAME_LIMIT) return { problem: 'name_too_long' };
  const name = line.normalize('NFC');
  if (isBroken(name)) return { problem: 'name_invalid' };
  if (isLonger(name, NAME_LIMIT)) return { problem: 'name_too_long' };
  return { name: INVISIBLE.test(name) ? null : name };
}

/**
 * Typed tags as stored, without empty ones and later duplicates; or the first problem. Commas separate tags, so that a
 * text field can hold several.
 */
export function readTags(entered: readonly string[]): { tags: string[] } | { problem: TagsProblem } {
  if (entered.reduce((units, text) => units + text.length + 1, 0) > TAGS_UNITS + 1)
    return { problem: entered.some((text) => LONG_TAG.test(text)) ? 'tag_too_long' : 'tags_too_many' };
  const texts = entered.flatMap((text) => text.split(','));
  const tags = new Map<string, string>();
  for (const tag of texts.map((text) => lineOf(text).normalize('NFC'))) {
    if (isBroken(tag)) return { problem: 'tag_invalid' };
    if (isLonger(tag, TAG_LIMIT)) return { problem: 'tag_too_long' };
    if (INVISIBLE.test(tag)) continue;
    const key = foldLabel(tag);
    if (key === '') return { problem: 'accents_only' };
    if (!tags.has(key)) tags.set(key, tag);
  }
  return tags.size > TAGS_PER_CODE ? { problem: 'tags_too_many' } : { tags: [...tags.values()] };
}

/**
 * A key that is the same for texts that differ only in case, accents, Unicode form, white space, invisible characters,
 * or letters and signs that are typed in other ways; for comparing and searching, not for display. What is longer than
 * any label is cut off.
 */
export function foldLabel(text: string): string {
  return foldText(text, FOLDED_UNITS);
}

/** The same for a text of at most so many UTF-16 units. */
export function foldText(text: string, units: number): string {
  const letters = text.slice(0, units).normalize('NFKD').replace(IGNORED, '');
  const plain = letters.toUpperCase().toLowerCase();
  const entered = plain.replace(TYPED_OTHERWISE, (one) => TYPED_AS[one] ?? one);
  return entered.replace(/\s+/g, ' ').trim().normalize('NFC');
}

/** A typed search, folded; null if folding leaves nothing of it, as of a lone accent or an invisible character. */
export function searchKey(entered: string): string | null {
  const key = foldLabel(entered);
  return key === '' && entered.replace(DIRECTIONS, '').trim() !== '' ? null : key;
}

function lineOf(entered: string): string {
  return withoutInvisible(entered.replace(DIRECTIONS, '')).replace(/\s+/g, ' ').trim();
}

function isBroken(text: string): boolean {
  return !isStorable(text) || /\p{Cc}/u.test(text);
}

/** Null when the typed name is empty. */
export const CodeName = z
  .string()
  .meta({ maxLength: NAME_LIMIT })
  .transform((entered, context) => {
    const read = readName(entered);
    if ('name' in read) return read.name;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

/** Each text may hold several tags, separated by commas. */
export const CodeTags = z
  .array(z.string().meta({ maxLength: TAG_LIMIT }), 'tag_invalid')
  .meta({ maxItems: TAGS_PER_CODE })
  .transform((entered, context) => {
    const read = readTags(entered);
    if ('tags' in read) return read.tags;
    const { problem } = read;
    const place =
      problem === 'tags_too_many' ? -1 : entered.findIndex((text) => problemOf([text]) === problem);
    context.addIssue({ code: 'custom', path: place < 0 ? [] : [place], message: problem });
    return z.NEVER;
  });

function problemOf(entered: string[]): TagsProblem | null {
  const read = readTags(entered);
  return 'problem' in read ? read.problem : null;
}

/** A single tag as typed; null if empty. */
export function oneTag(message: string) {
  return z
    .string()
    .meta({ maxLength: TAG_LIMIT })
    .transform((entered, context) => {
      const read = readTags([entered]);
      if ('tags' in read && read.tags.length <= 1) return read.tags[0] ?? null;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .nullable();
}

/** Tags in a form field: a JSON array, in which a character may be written with six, or comma-separated text. */
export const tagsText = z
  .string()
  .max(6 * TYPED_TAGS, 'tags_too_many')
  .transform((text): unknown => {
    if (!text.trimStart().startsWith('[')) return [text];
    try {
      return JSON.parse(text);
    } catch {
      return [text];
    }
  })
  .pipe(CodeTags);

export const listTags = call({
  name: 'listTags',
  method: 'GET',
  path: '/api/tags',
  summary: "The account's tags, alphabetically, with the number of codes that have each",
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/tags',
  response: dataOf(
    z.array(
      z.object({
        /** As first typed. */
        tag: z.string(),
        /** Codes in use that have it. */
        codes: z.int(),
        archived: z.int(),
      }),
    ),
  ),
  errors: ['unauthenticated'],
});
