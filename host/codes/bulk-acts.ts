import { foldLabel, readTags } from '#contract/labels';
import { StoredStyle } from '#contract/styles';
import type { Orm } from '#host/db/client';
import { ApiError, invalidField } from '#host/http/errors';
import { changeCode, type WantedValues } from './codes.change';
import { deleteCode } from './codes.store';
import type { JobRow } from './jobs.store';

/** Applies the act of a job to one code; throws if the code cannot take it. */
export async function actOnCode(
  orm: Orm,
  { accountId, act, tag, style }: JobRow,
  { id, type }: { id: string; type: string },
  now: Date,
): Promise<void> {
  if (act === 'delete') {
    await deleteCode(orm, accountId, id, now);
    return;
  }
  if (act === 'make_private' && type === 'wifi') throw invalidField('visibility', 'wifi_public');
  await changeCode(orm, { accountId, id }, wantedOf({ act, tag: tag ?? '', style }), now);
}

function wantedOf({ act, tag, style }: Pick<JobRow, 'act' | 'style'> & { tag: string }): WantedValues {
  switch (act) {
    case 'make_public':
      return { visibility: 'public' };
    case 'make_private':
      return { visibility: 'private' };
    case 'archive':
      return { archived: true };
    case 'unarchive':
      return { archived: false };
    case 'tag':
      return { tags: (before) => withTag(before, tag) };
    case 'untag':
      return { tags: (before) => before.filter((one) => foldLabel(one) !== foldLabel(tag)) };
    case 'style':
      // A style from a later version waits for a host that understands it.
      return { style: StoredStyle.parse(style) };
    default:
      throw new ApiError('internal');
  }
}

function withTag(before: string[], tag: string): string[] {
  const read = readTags([...before, tag]);
  if ('problem' in read) throw invalidField('tags', read.problem);
  return read.tags;
}
