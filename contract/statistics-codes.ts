import { z } from 'zod';
import { call, dataOf, Id } from './call';
import { CodeType } from './codes';

/** Most codes in one response. */
export const SEARCH_PAGE_SIZE = 20;

const FoundCode = z.object({ id: Id, type: CodeType, name: z.string().nullable(), content: z.string() });
export type FoundCode = z.infer<typeof FoundCode>;

/**
 * Finds the same codes as a search of the list, archived ones included, newest first. `next` is `before` for the next
 * request, and null at the end.
 */
export const searchCodes = call({
  name: 'searchCodes',
  method: 'GET',
  path: '/api/qrcodes/stats/codes',
  summary: "The account's codes whose name, content or tags contain a text, newest first, 20 per request",
  access: 'user',
  beyond: true,
  query: z.object({
    text: z
      .string()
      .trim()
      .min(1, 'text_required')
      .max(255, 'text_too_long')
      .refine((text) => !text.includes('\u0000'), 'text_invalid'),
    before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  }),
  response: dataOf(z.object({ codes: z.array(FoundCode), next: z.int().nullable() })),
  errors: ['unauthenticated', 'invalid'],
});
