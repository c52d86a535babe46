import { data } from '@remix-run/node';
import { readSharedReport, type SharedStatistics } from '#contract/shared-reports';
import type { Statistics } from '#contract/statistics';
import { env } from '~/http/env.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { reportOf } from './report.server';
import { type DrawReport, respondReport } from './report-file.server';
import { lastDay } from './shared-links.server';
import { type Words, wordsOf } from './wording.server';

/** Of a page and a file whose address holds a token: it is neither sent to other sites, nor found, nor kept. */
export const SHARED_HEADERS = {
  'Referrer-Policy': 'strict-origin',
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
};

const STATUS = { unknown: 404, ended: 410, paused: 403 } as const;
type Over = keyof typeof STATUS;

/** The report of the link that the address holds the token of, in the reader's language, or why there is none. */
async function readShared(scope: Scope, { isFile }: { isFile: boolean }) {
  const token = scope.url.searchParams.get('token') ?? '';
  try {
    const { data: shared } = await callHost(scope, readSharedReport, { body: { token, isFile } });
    const words = wordsOf(scope.locale);
    const { owner, statistics, endsAt } = shared;
    const report = reportOf(named(statistics, words), owner, ({ name }) => name ?? '', words);
    const until = words.t('statistics:sharedReport.until', {
      date: lastDay(endsAt, statistics.period.timeZone, words),
    });
    const by = words.t('statistics:sharedReport.by', { name: owner, appName: env.APP_NAME });
    return {
      report: {
        ...report,
        made: `${report.made} ${by} ${until}`,
        rankings: report.rankings.map(withoutLinks),
      },
      over: null,
      owner,
      pdf: `/report.pdf?${new URLSearchParams({ token })}`,
    };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    const over = overOf(thrown);
    if (!over) throw data(null, { status: thrown.status });
    return { over };
  }
}

export async function getShared(scope: Scope) {
  const shared = await readShared(scope, { isFile: false });
  return data(shared, { status: shared.over ? STATUS[shared.over] : 200 });
}

/** The same for its file; without one there is an error page. */
export async function getSharedFile(scope: Scope, draw: DrawReport): Promise<Response> {
  const shared = await readShared(scope, { isFile: true });
  if (shared.over) throw data(null, { status: STATUS[shared.over], headers: SHARED_HEADERS });
  return respondReport(shared.report, scope.locale, draw, SHARED_HEADERS);
}

function overOf({ code, errors }: HostError): Over | null {
  if (code === 'subscription_required') return 'paused';
  if (errors.token) return errors.token.includes('report_link_ended') ? 'ended' : 'unknown';
  return null;
}

/** As the owner's figures, with a name for codes that readers know none of. */
function named({ code, mostActive, ...rest }: SharedStatistics, { t }: Words): Statistics {
  const unknown = { id: '', content: '' };
  return {
    ...rest,
    tags: [],
    code: code && {
      ...unknown,
      ...code,
      name: code.name ?? t('statistics:sharedReport.unnamedOne'),
      since: rest.period.startsAt,
    },
    mostActive: {
      ...mostActive,
      codes: mostActive.codes.map((ranked, at) => ({
        ...unknown,
        ...ranked,
        name: ranked.name ?? t('statistics:sharedReport.unnamed', { number: at + 1 }),
      })),
    },
  };
}

function withoutLinks<Ranking extends { rows: { to?: string }[] }>(ranking: Ranking): Ranking {
  return { ...ranking, rows: ranking.rows.map(({ to: _to, ...row }) => row) };
}
