import { z } from 'zod';
import { IsoDateTime } from './call';

/** An operator blocked a code; visitors are told so. */
export const CodeBlock = z.object({
  /** The code itself, or all visits that lead to a host or below it: with rules, perhaps not every one. */
  scope: z.enum(['code', 'host']),
  /** Which host that is. */
  host: z.string().nullable(),
  at: IsoDateTime,
  /** As in the e-mail to the owner; null if it is no longer kept. */
  reason: z.string().nullable(),
});
export type CodeBlock = z.infer<typeof CodeBlock>;
