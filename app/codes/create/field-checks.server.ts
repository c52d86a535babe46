import { z } from 'zod';
import { readName, readTags, TYPED_NAME, TYPED_TAGS } from '#contract/labels';

/**
 * A Zod refinement that reports what `check` finds. A field that the schema has already rejected, such as a
 * text that is too long, is passed to `check` as empty and not reported twice.
 */
export function reportProblems<F extends Record<string, unknown>>(
  check: (fields: F) => { field: string; code: string }[],
) {
  return (fields: F, context: z.core.$RefinementCtx<F>) => {
    const refused = new Set(context.issues.map(({ path }) => path?.[0]));
    const accepted = Object.entries(fields).map(([name, value]) => [name, refused.has(name) ? '' : value]);
    for (const { field, code } of check(Object.fromEntries(accepted))) {
      if (!refused.has(field)) context.addIssue({ code: 'custom', path: [field], message: code });
    }
  };
}

const text = (limit: number) => z.string().max(limit, 'text_too_long').default('');

/** Name and tags as typed; the host normalises them. */
export const LABEL_FIELDS = { name: text(TYPED_NAME), tags: text(TYPED_TAGS) };

/** Errors by field. */
export function checkLabels({ name, tags }: { name: string; tags: string }) {
  const [named, tagged] = [readName(name), readTags([tags])];
  return [
    ...('problem' in named ? [{ field: 'name', code: named.problem }] : []),
    ...('problem' in tagged ? [{ field: 'tags', code: tagged.problem }] : []),
  ];
}
