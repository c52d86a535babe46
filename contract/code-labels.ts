import { z } from 'zod';
import { readName, readTags } from './labels';

/** Null where an empty name was typed. */
export const CodeName = z.string().transform((typed, context) => {
  const read = readName(typed);
  if ('name' in read) return read.name;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

/** Each may hold several, separated by commas. */
export const CodeTags = z.array(z.string(), 'tag_invalid').transform((typed, context) => {
  const read = readTags(typed);
  if ('tags' in read) return read.tags;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

/** Tags inside a form: the JSON text of a list, or a text with commas between them. */
export const tagsText = z
  .string()
  .transform((text): unknown => {
    if (!text.trimStart().startsWith('[')) return [text];
    try {
      return JSON.parse(text);
    } catch {
      return [text];
    }
  })
  .pipe(CodeTags);
