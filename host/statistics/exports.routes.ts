import {
  CODE_COLUMNS,
  DAILY_COLUMNS,
  EXPORT_LIMIT,
  exportCodes,
  exportDailyFigures,
} from '#contract/exports';
import { respondCsv } from '#host/http/csv';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { listCodeRows, listDayRows } from './export-rows';
import { readFilter } from './figures';

const PER_ACCOUNT = { name: 'csv', points: EXPORT_LIMIT.files, windowSeconds: EXPORT_LIMIT.seconds };

export function mountExports({ mount }: Router, { db, clock, settings }: Deps): void {
  mount(exportDailyFigures, async ({ caller, query, log }) => {
    const filter = await readFilter(db.orm, caller.accountId, query, clock.now());
    await consumeRateLimit(db.orm, PER_ACCOUNT, caller.accountId, clock.now());
    async function* pages() {
      yield await db.reads.exact(caller.position, (orm) => listDayRows(orm, filter));
    }
    return respondCsv(DAILY_COLUMNS, pages(), log);
  });

  mount(exportCodes, async ({ caller, log }) => {
    await consumeRateLimit(db.orm, PER_ACCOUNT, caller.accountId, clock.now());
    return respondCsv(CODE_COLUMNS, listCodeRows(db.orm, caller.accountId, settings.shortUrl, log), log);
  });
}
