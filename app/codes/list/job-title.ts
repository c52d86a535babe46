import type { TFunction } from 'i18next';
import type { Job } from '#contract/jobs';

/** What a job does or, once it has done it, what is done. */
export function jobTitle(t: TFunction<'codes'>, { act, tag, status, succeeded }: Job): string {
  const group = status === 'done' && succeeded > 0 ? 'ended' : 'kinds';
  return t(`job.${group}.${act ?? 'import'}`, { tag: tag ?? '' });
}
