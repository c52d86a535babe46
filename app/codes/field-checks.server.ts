import type { z } from 'zod';

/**
 * A refinement that reports what `check` finds. What the schema has refused already, such as a text that is too long, is
 * empty to the check and not reported twice.
 */
export function reportProblems<F extends Record<string, unknown>>(
  check: (fields: F) => { field: string; code: string }[],
) {
  return (fields: F, context: z.core.$RefinementCtx<F>) => {
    const refused = new Set(context.issues.map(({ path }) => path?.[0]));
    const taken = Object.entries(fields).map(([name, value]) => [name, refused.has(name) ? '' : value]);
    for (const { field, code } of check(Object.fromEntries(taken))) {
      if (!refused.has(field)) context.addIssue({ code: 'custom', path: [field], message: code });
    }
  };
}
