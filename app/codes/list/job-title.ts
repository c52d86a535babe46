import type { TFunction } from 'i18next';

interface Job {
  act:
    | 'tag'
    | 'untag'
    | 'make_public'
    | 'make_private'
    | 'count'
    | 'uncount'
    | 'archive'
    | 'unarchive'
    | 'style'
    | 'retarget'
    | 'delete'
    | null;
  tag: string | null;
  status: 'running' | 'done' | 'stopped';
  /** Number of codes. */
  succeeded: number;
}

/** What a job does or, once it has done it, what is done. */
export function jobTitle(t: TFunction<'codes'>, { act, tag, status, succeeded }: Job): string {
  const group = status === 'done' && succeeded > 0 ? 'ended' : 'kinds';
  return t(`job.${group}.${act ?? 'import'}`, { tag: tag ?? '' });
}
