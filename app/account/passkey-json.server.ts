import type { z } from 'zod';

/** What a script wrote into a hidden field; null for anything else. */
export function readCredential<S extends z.ZodType>(text: unknown, schema: S): z.input<S> | null {
  try {
    const json: unknown = JSON.parse(String(text));
    return schema.safeParse(json).success ? (json as z.input<S>) : null;
  } catch {
    return null;
  }
}
