import type { Job } from '#contract/jobs';
import type { JobRow } from './jobs.store';

export function presentJob(job: JobRow): Job {
  const { id, kind, act, tag, importId, status, total, succeeded, failed } = job;
  const [createdAt, endedAt] = [job.createdAt.toISOString(), job.endedAt?.toISOString() ?? null];
  return { id, kind, act, tag, importId, status, total, succeeded, failed, createdAt, endedAt };
}
