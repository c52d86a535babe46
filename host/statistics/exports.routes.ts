import { CODE_COLUMNS, DAILY_COLUMNS, exportCodes, exportDailyFigures } from '#contract/exports';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { listCodeRows } from './codes-csv';
import { readQuestion } from './count';
import { answerCsv } from './csv';
import { listDayRows } from './daily-csv';

export function mountExports({ mount }: Router, { db, clock, settings }: Deps): void {
  mount(exportDailyFigures, async ({ caller, query, log }) => {
    const asked = await readQuestion(db.orm, caller.accountId, query, clock.now());
    async function* pages() {
      yield await listDayRows(db.orm, asked);
    }
    return answerCsv(DAILY_COLUMNS, pages(), log);
  });

  mount(exportCodes, async ({ caller, log }) =>
    answerCsv(CODE_COLUMNS, listCodeRows(db.orm, caller.accountId, settings.shortUrl), log),
  );
}
