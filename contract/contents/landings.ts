import { z } from 'zod';
import type { PageType } from './contents';

const shapes = {
  text: z.object({
    kind: z.literal('text'),
    text: z.string(),
    /** Web addresses in the text, as written there; `open` with number n leads to the n-th. */
    links: z.array(z.string()).default([]),
  }),
  email: z.object({ kind: z.literal('email'), address: z.string(), subject: z.string(), body: z.string() }),
  phone: z.object({
    kind: z.literal('phone'),
    /** With its extension, as in `+33123456789;ext=12`. */
    number: z.string(),
  }),
} satisfies Record<PageType, z.ZodType>;

/** What a visitor of a code's address gets if it is not a redirect. */
export const Landing = z.union(Object.values(shapes));
export type Landing = z.infer<(typeof shapes)[PageType]>;
