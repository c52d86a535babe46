import { z } from 'zod';
import { call, dataOf } from './call';

export const listTags = call({
  name: 'listTags',
  method: 'GET',
  path: '/api/tags',
  summary: "The account's tags, alphabetically, with the number of codes that have each",
  access: 'user',
  beyond: true,
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
