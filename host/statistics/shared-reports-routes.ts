import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import {
  endSharedReport,
  listSharedReports,
  readSharedReport,
  SHARED_REPORTS_PER_ACCOUNT,
  shareReport,
} from '#contract/shared-reports';
import { findProfile, lockAccount } from '#host/accounts/store';
import type { CodeIndexes } from '#host/codes/search/indexes';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, hourly } from '#host/http/rate-limit';
import { readFilter, withCodesOfCampaign } from './figures';
import * as store from './shared-reports';
import { readStatistics } from './statistics';

const READS_PER_IP = hourly('shared-report-ip', 300);
const FILES_PER_IP = hourly('shared-report-file-ip', 30);
const READS_PER_LINK = hourly('shared-report', 1_000);

/** Links with which anybody reads a report until they end. */
export function mountSharedReports({ mount }: Router, deps: Deps, codeIndexes: CodeIndexes): void {
  const { db, clock, countries } = deps;

  mount(listSharedReports, async ({ caller }) => {
    const rows = await store.listSharedReports(db.orm, caller.accountId, clock.now());
    return { data: rows.map(present) };
  });

  mount(shareReport, async ({ caller: { accountId }, body }) => {
    const { name, filter, days, until, key } = body;
    const now = clock.now();
    const resolved = await readFilter(db.orm, accountId, filter, now);
    const formKey = key ? formKeyOf(key, { name, filter, days, until }) : null;
    const endsAt = store.endOf({ days, until }, filter.timeZone, now);
    const report = await db.orm.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) throw new ApiError('unauthenticated');
      const living = await store.listSharedReports(transaction, accountId, now);
      const repeated = formKey && living.find(({ report }) => report.formKey === formKey);
      if (repeated) return repeated.report;
      if (living.length >= SHARED_REPORTS_PER_ACCOUNT) throw new ApiError('conflict');
      const id = randomUUID();
      const row = {
        id,
        accountId,
        name,
        filter,
        formKey,
        endsAt,
        createdAt: now,
        ...store.newToken(id, deps),
      };
      await store.insertSharedReport(transaction, row);
      return row;
    });
    return { data: present({ report, code: resolved.code }) };
  });

  function present(listed: store.ListedReport) {
    return { ...store.presentReport(listed), token: store.tokenOf(listed.report, deps) };
  }

  mount(endSharedReport, async ({ caller, params }) => {
    const isEnded = await store.endSharedReport(db.orm, caller.accountId, params.id, clock.now());
    if (!isEnded) throw new ApiError('not_found');
    return done('report_ended');
  });

  mount(readSharedReport, async ({ body: { token, isFile }, clientIp }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, isFile ? FILES_PER_IP : READS_PER_IP, clientIp, now);
    const report = await store.findSharedReport(db.orm, token);
    if (!report) throw invalidField('token', 'report_link_unknown');
    if (report.endsAt <= now) throw invalidField('token', 'report_link_ended');
    await consumeRateLimit(db.orm, READS_PER_LINK, report.id, now);
    const owner = await findProfile(db.orm, report.accountId, now);
    if (!owner?.subscription?.running) throw new ApiError('subscription_required');
    const filter = await withCodesOfCampaign(codeIndexes, report.accountId, store.filterOf(report));
    const statistics = await db.reads.figures(null, (orm, behindMs) =>
      readStatistics(orm, report.accountId, filter, {
        now,
        behindMs,
        countriesAsOf: countries.asOf,
        comparesBefore: true,
      }).catch(endedIfGone),
    );
    return {
      data: {
        owner: owner.publicName || `${owner.firstName} ${owner.lastName}`.trim(),
        endsAt: report.endsAt.toISOString(),
        statistics: store.withoutPrivate(statistics),
      },
    };
  });
}

/** The code or the tag that a report was about may be gone. */
function endedIfGone(thrown: unknown): never {
  if (thrown instanceof ApiError && thrown.code === 'not_found')
    throw invalidField('token', 'report_link_ended');
  throw thrown;
}
