import { z } from 'zod';
import { TYPED_LIMITS } from '#contract/contents';
import { readName, readTags } from '#contract/labels';

const text = (limit: number) => z.string().max(limit, 'text_too_long').default('');

/** Name and tags as typed; the host normalises them. */
export const LABEL_FIELDS = { name: text(TYPED_LIMITS.name), tags: text(TYPED_LIMITS.tags) };

/** Errors by field. */
export function checkLabels({ name, tags }: { name: string; tags: string }) {
  const [named, tagged] = [readName(name), readTags([tags])];
  return [
    ...('problem' in named ? [{ field: 'name', code: named.problem }] : []),
    ...('problem' in tagged ? [{ field: 'tags', code: tagged.problem }] : []),
  ];
}
