import { getCodeVisits } from '#contract/code-visits';
import { RECENT_FIGURES_DAYS } from '#contract/dashboard';
import {
  CODE_COLUMNS,
  EXPORT_LIMIT,
  exportCodes,
  exportStatistics,
  STATISTICS_FILES,
} from '#contract/exports';
import {
  compareStatistics,
  getStatistics,
  type Statistics,
  searchCodes,
  streamStatistics,
} from '#contract/statistics';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { type Authenticate, bearerOf, type Caller } from '#host/http/caller';
import { respondCsv } from '#host/http/csv';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { readCodeVisits } from './code-visits';
import { listCodeRows } from './codes-export';
import { readFilter, type StatisticsFilter, withCodesOfCampaign } from './figures';
import { PAGES } from './figures-export';
import type { LiveFigures } from './live';
import { findCodesByText, findSelectedCode } from './ranked-codes';
import { readStatistics } from './statistics';

export function mountStatistics(
  { mount }: Router,
  { db, clock, countries }: Deps,
  codeIndexes: CodeIndexes,
): void {
  mount(getStatistics, async ({ caller, body }) => ({
    data: await figuresOf(caller, body, { comparesBefore: true }),
  }));

  mount(compareStatistics, async ({ caller, body }) => {
    const columns: Statistics[] = [];
    // One after the other: a comparison takes no more connections than a page of figures.
    for (const filter of body.columns)
      columns.push(await figuresOf(caller, filter, { comparesBefore: true }));
    return { data: { columns } };
  });

  mount(getCodeVisits, async ({ caller, params: { id: code }, query: { timeZone } }) => {
    const recentFilter = timeZone && ({ period: RECENT_FIGURES_DAYS, code, tag: null, timeZone } as const);
    const [visits, statistics] = await Promise.all([
      db.reads.exact(caller.position, (orm) => readCodeVisits(orm, caller.accountId, code, clock.now())),
      recentFilter && figuresOf(caller, recentFilter),
    ]);
    if (!statistics) return { data: visits };
    const { period, figures } = statistics;
    return { data: { ...visits, recent: { period, figures } } };
  });

  mount(searchCodes, async ({ caller, query }) => ({
    data: await findCodesByText({ orm: db.orm, codeIndexes }, caller.accountId, query),
  }));

  async function figuresOf(
    { position, accountId, tag }: Caller,
    asked: StatisticsFilter,
    { comparesBefore = false } = {},
  ) {
    const { asOf: countriesAsOf } = countries;
    const filter = { ...(await withCodesOfCampaign(codeIndexes, accountId, asked)), within: tag };
    return db.reads.figures(position, (orm, behindMs) =>
      readStatistics(orm, accountId, filter, { now: clock.now(), countriesAsOf, behindMs, comparesBefore }),
    );
  }
}

const PER_ACCOUNT = { name: 'csv', points: EXPORT_LIMIT.files, windowSeconds: EXPORT_LIMIT.seconds };

export function mountExports(
  { mount }: Router,
  { db, clock, settings }: Deps,
  codeIndexes: CodeIndexes,
): void {
  mount(exportStatistics, async ({ caller, params: { file }, query: { separator, ...query }, log }) => {
    const asked = await withCodesOfCampaign(codeIndexes, caller.accountId, query);
    const filter = await readFilter(db.orm, caller.accountId, { ...asked, within: caller.tag }, clock.now());
    await consumeRateLimit(db.orm, PER_ACCOUNT, caller.accountId, clock.now());
    const pages = PAGES[file]((read) => db.reads.exact(caller.position, read), filter);
    return respondCsv<string>(STATISTICS_FILES[file], pages, { separator, log });
  });

  mount(exportCodes, async ({ caller, query: { separator }, log }) => {
    await consumeRateLimit(db.orm, PER_ACCOUNT, caller.accountId, clock.now());
    const presenting = { shortUrl: settings.shortUrl, log, now: clock.now() };
    const pages = listCodeRows(db.orm, caller, presenting);
    return respondCsv(CODE_COLUMNS, pages, { separator, log });
  });
}

// A stopping host would wait for kept-alive connections.
const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', Connection: 'close' };

export function mountLive(
  { mount }: Router,
  { db }: Pick<Deps, 'db'>,
  live: LiveFigures,
  authenticate: Authenticate,
): void {
  mount(streamStatistics, async ({ caller, query, context, log }) => {
    const { accountId } = caller;
    const codeId = query.code ?? null;
    if (codeId !== null && !(await findSelectedCode(db.orm, accountId, codeId)))
      throw new ApiError('not_found');
    // Hono routes HEAD here too, and drops the body.
    if (context.req.method === 'HEAD') return new Response(null, { headers: HEADERS });
    const token = bearerOf(context);

    async function isAllowed(): Promise<boolean> {
      try {
        return (await authenticate(token)).isSubscribed;
      } catch (thrown) {
        if (thrown instanceof ApiError) return false;
        log.warn({ err: thrown }, 'the access of a live stream could not be checked: it stays open');
        return true;
      }
    }

    return new Response(live.open({ accountId, codeId, isAllowed }), { headers: HEADERS });
  });
}
