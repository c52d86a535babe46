import { randomUUID } from 'node:crypto';
import {
  createImport,
  exportImportedCodes,
  getImport,
  IMPORTED_COLUMNS,
  type ImportReport,
  listImportDuplicates,
  listImportProblems,
  REPORT_ENTRIES_PER_PAGE,
  startImport,
} from '#contract/imports';
import type { LogoChoice } from '#contract/logo-choice';
import { firstCharacters } from '#contract/storable';
import type { Style } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { findJob, findJobOfImport, insertJob, presentJob } from '#host/codes/bulk/store';
import { presentCode } from '#host/codes/code/present';
import { IMPORTS_PER_ACCOUNT, STARTED_IMPORTS_PER_ACCOUNT } from '#host/codes/limits';
import { requireLogo } from '#host/codes/logos/choice';
import { findStyle, storedStyle } from '#host/codes/looks/store';
import type { Orm } from '#host/db/client';
import { tried } from '#host/db/tried';
import { clientOf } from '#host/http/caller';
import { respondCsv } from '#host/http/csv';
import type { Deps } from '#host/http/deps';
import type { MessageCode } from '#host/http/errors';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { readUploadedImport } from './pool';
import * as store from './store';

const FILE_NAME_CHARACTERS = 100;

export function mountImports({ mount }: Router, deps: Deps, presets: ReadonlyMap<string, unknown>): void {
  const { db, clock, settings } = deps;

  mount(createImport, async ({ caller, form, context, clientIp, log, isTrial }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, limitFor(IMPORTS_PER_ACCOUNT, isTrial), caller.accountId, now);
    const tagKeys = await store.readTagKeys(db.orm, caller.accountId);
    const rules = await readLinkRules(db.orm, settings);
    const bytes = new Uint8Array(await form.file.arrayBuffer());
    const uploader = { ...clientOf(clientIp, caller.accountId), signal: context.req.raw.signal };
    const read = await readUploadedImport({ bytes, rules, tagKeys }, uploader, log);
    const { parts, duplicates } = await store.markDuplicates(db.orm, caller, read);
    const report: ImportReport = {
      id: randomUUID(),
      fileName: tidyFileName(form.file.name),
      createdAt: now.toISOString(),
      ...read.report,
      duplicates: duplicates.slice(0, REPORT_ENTRIES_PER_PAGE),
      duplicateCount: duplicates.length,
    };
    const { problemPages } = read;
    if (!isTrial) await store.insertImport(db.orm, caller, report, { parts, problemPages, duplicates });
    return { data: report };
  });

  mount(getImport, async ({ caller, params }) => {
    const report = await store.findImport(db.orm, caller.accountId, params.id);
    const job = await findJobOfImport(db.orm, caller.accountId, params.id);
    return { data: { report, job: job && presentJob(job) } };
  });

  mount(listImportProblems, async ({ caller, params, query: { page } }) => {
    const report = await store.findImport(db.orm, caller.accountId, params.id);
    const data = await store.listImportProblems(db.orm, report, page);
    return { data, meta: { page, limit: REPORT_ENTRIES_PER_PAGE, total: report.problemCount } };
  });

  mount(listImportDuplicates, async ({ caller, params, query: { page } }) => {
    const report = await store.findImport(db.orm, caller.accountId, params.id);
    const data = await store.listImportDuplicates(db.orm, report, page);
    return { data, meta: { page, limit: REPORT_ENTRIES_PER_PAGE, total: report.duplicateCount } };
  });

  mount(startImport, async ({ caller, params, body, isTrial }) => {
    const now = clock.now();
    const report = await store.findImport(db.orm, caller.accountId, params.id);
    const existing = await findJobOfImport(db.orm, caller.accountId, params.id);
    if (existing) return { data: presentJob(existing) };
    const total = report.valid - (body.skipDuplicates ? report.duplicateCount : 0);
    if (total === 0) throw invalidField('file', 'import_nothing_left');
    const { style, logo: saved } = await chooseStyle(db.orm, caller.accountId, body.style);
    const logo = body.logo ?? saved;
    await requireLogo(db.orm, presets, caller.accountId, logo);
    await consumeRateLimit(db.orm, limitFor(STARTED_IMPORTS_PER_ACCOUNT, isTrial), caller.accountId, now);
    const start = async (transaction: Orm) => {
      const job = {
        kind: 'import' as const,
        act: null,
        tag: null,
        style,
        logo,
        importId: report.id,
        numbers: [],
        total,
        withinTag: caller.tag?.label ?? null,
      };
      const made = await insertJob(
        transaction,
        caller.accountId,
        { ...job, key: `import:${report.id}` },
        now,
      );
      // Of two simultaneous posts the second gets the job of the first, whose choice counts.
      if (made.total === total) await store.chooseDuplicates(transaction, report.id, body.skipDuplicates);
      return made;
    };
    const started = await tried(db.orm, isTrial, (orm) => orm.transaction(start));
    return { data: presentJob(started) };
  });

  mount(exportImportedCodes, async ({ caller, params, log }) => {
    await consumeRateLimit(db.orm, IMPORTS_PER_ACCOUNT, caller.accountId, clock.now());
    const { importId } = await findJob(db.orm, caller.accountId, params.id);
    if (!importId) throw new ApiError('not_found');
    async function* pages() {
      for await (const codes of store.listImported(db.orm, caller, importId ?? ''))
        yield codes.map(({ row, code }) => {
          const presenting = { shortUrl: settings.shortUrl, log, now: clock.now() };
          const { name, type, content, tags, link, scanLink } = presentCode(code, new Map(), presenting);
          return { row, name, type, content, tags: tags.join(', '), link, scan_link: scanLink };
        });
    }
    return respondCsv(IMPORTED_COLUMNS, pages(), { log });
  });
}

/**
 * The style to copy into new codes, null for dark squares on white, and the logo that it brings along. Refuses the field
 * `style` with `style_unknown`, or with what is wrong with a style that was saved under other rules.
 */
async function chooseStyle(
  orm: Orm,
  accountId: string,
  requested: string,
): Promise<{ style: Style | null; logo: LogoChoice | null }> {
  const plain = { style: null, logo: null };
  if (requested === 'none') return plain;
  const saved = await findStyle(orm, accountId, requested);
  if (!saved && requested !== 'default') throw invalidField('style', 'style_unknown');
  if (!saved) return plain;
  const read = StyleInput.safeParse(saved.style);
  if (!read.success)
    throw invalidField('style', (read.error.issues[0]?.message ?? 'style_invalid') as MessageCode);
  return { style: storedStyle(read.data), logo: saved.logo };
}

function tidyFileName(name: string): string {
  return firstCharacters(name.replace(/[\p{C}\u2028\u2029]/gu, ''), FILE_NAME_CHARACTERS);
}
