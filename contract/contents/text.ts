import type { ContentType, Stored } from './content-type';
import { CONTENT_FIELD, contentProblem, tidy } from './text-rules';

interface TextFields {
  content: string;
}

export const text = {
  visit: 'page',
  acts: ['open'],
  main: 'content',
  fields: { content: CONTENT_FIELD },
  check({ content }: TextFields) {
    const code = contentProblem(tidy(content));
    return code ? [{ field: 'content', code }] : [];
  },
  counted: ({ content }: TextFields) => tidy(content),
  compose: ({ content }: TextFields) => ({ content: tidy(content) }),
  payload: ({ content }: Stored) => content,
} as const satisfies ContentType<TextFields>;

/** Fields that are drawn exactly as given. */
export function verbatim(content: string) {
  return { type: 'text' as const, content };
}
