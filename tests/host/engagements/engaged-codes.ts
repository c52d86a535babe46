import { eq } from 'drizzle-orm';
import { getStatistics } from '#contract/statistics';
import { announceChanges } from '#host/codes/code/store';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { codes, type StoredEnd } from '#host/db/codes.tables';
import type { TestAccount, TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

export const JSON_CALLER = { accept: 'application/json' };

export const PAST = '2026-03-01T10:00:00.000Z';

/** Pauses a code, or ends it also in the past, which calls refuse. */
export async function lead(
  host: TestHost,
  code: { id: string; slug: string },
  { pause = null, end }: { pause?: { message: string } | null; end?: Partial<StoredEnd> },
): Promise<void> {
  const open = { at: null, visits: null, message: '', target: null, route: 1 };
  const ended = end ? { ...open, setAt: PAST, reachedAt: null, noticedAt: null, ...end } : null;
  const routing = { ...NO_ROUTING, pause, end: ended };
  await host.db.orm.update(codes).set({ routing }).where(eq(codes.id, code.id));
  await announceChanges(host.db.orm, [code]);
}

/** The owner’s figures of the last seven days, of one code or of all. */
export async function readEngagements(host: TestHost, owner: TestAccount, code: string | null = null) {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', { period: 7, code }, owner);
  const { figures } = getStatistics.response.parse(answered.body).data;
  return {
    visitors: figures.unique_visitors.value,
    engagements: figures.engagements.value,
    engaged: figures.distinct_engagements.value,
    rate: figures.conversion_rate.value,
  };
}

/** A visitor at an IP address, who can visit a code, act on it and report. */
export function visitorAt(host: TestHost, address: string) {
  const headers = { ...JSON_CALLER, 'x-client-ip': address };
  return {
    visit: (code: { slug: string }) => host.request(`/r/${code.slug}`, { headers }),
    act: (code: { slug: string }, act: string) => host.request(`/e/${code.slug}/${act}`, { headers }),
    copy: (code: { slug: string }) => host.request(`/e/${code.slug}/copy`, { method: 'POST', headers }),
    report: (code: { slug: string }, method = 'POST') => host.request(`/b/${code.slug}`, { method, headers }),
  };
}
