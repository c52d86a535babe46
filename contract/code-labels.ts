import { z } from 'zod';
import { TYPED_LIMITS } from './contents';
import { readName, readTags } from './labels';

/** Null when the typed name is empty. */
export const CodeName = z.string().transform((typed, context) => {
  const read = readName(typed);
  if ('name' in read) return read.name;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

/** Each text may hold several tags, separated by commas. */
export const CodeTags = z.array(z.string(), 'tag_invalid').transform((typed, context) => {
  const read = readTags(typed);
  if ('tags' in read) return read.tags;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

/** Tags in a form field: a JSON array, in which a character may be written with six, or comma-separated text. */
export const tagsText = z
  .string()
  .max(6 * TYPED_LIMITS.tags, 'tags_too_many')
  .transform((text): unknown => {
    if (!text.trimStart().startsWith('[')) return [text];
    try {
      return JSON.parse(text);
    } catch {
      return [text];
    }
  })
  .pipe(CodeTags);
