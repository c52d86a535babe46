import { and, asc, between, eq, inArray, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  type ImportDuplicate,
  type ImportProblem,
  type ImportReport,
  REPORT_ENTRIES_PER_PAGE,
} from '#contract/imports';
import type { Orm } from '#host/db/client';
import { codes, tags } from '#host/db/codes.tables';
import { codeImportDuplicates, codeImportParts, codeImportProblems, codeImports } from '#host/db/jobs.tables';
import { ApiError } from '#host/http/errors';
import { type CodeRow, lockOwner, readCodes } from './codes.store';
import { designKey, type ImportedRow, type Known } from './import-report';

/** Rows of one part: they become codes in one transaction. */
const PART = 100;
/** Parts read together when the created codes are exported. */
const PARTS_AT_ONCE = 10;

/** What the account has that a file may duplicate. */
export async function readKnown(orm: Orm, accountId: string): Promise<Known> {
  const rows = await orm.select({ key: tags.key }).from(tags).where(eq(tags.accountId, accountId));
  return {
    tagKeys: new Set(rows.map(({ key }) => key)),
    findExisting: async (designs) => {
      if (designs.length === 0) return new Set();
      const contents = sql.param(designs.map(({ content }) => content));
      const found = await orm
        .select({ type: codes.type, content: codes.content, subject: codes.subject, body: codes.body })
        .from(codes)
        .where(
          and(
            eq(codes.accountId, accountId),
            isNull(codes.deletedAt),
            sql`${codes.content} = any (${contents}::text[])`,
          ),
        );
      return new Set(found.map(designKey));
    },
  };
}

/** Throws `unauthenticated` if the account was erased in the meantime. */
export async function insertImport(
  orm: Orm,
  accountId: string,
  report: ImportReport,
  {
    imported,
    problems,
    duplicates,
  }: { imported: ImportedRow[]; problems: ImportProblem[]; duplicates: ImportDuplicate[] },
): Promise<void> {
  await orm.transaction(async (transaction) => {
    if (!(await lockOwner(transaction, accountId))) throw new ApiError('unauthenticated');
    const createdAt = new Date(report.createdAt);
    await transaction.insert(codeImports).values({ id: report.id, accountId, report, createdAt });
    const parts = [];
    for (let start = 0; start < imported.length; start += PART)
      parts.push(JSON.stringify(imported.slice(start, start + PART)));
    if (parts.length > 0)
      await transaction
        .insert(codeImportParts)
        .values(parts.map((rows, part) => ({ importId: report.id, part, rows })));
    const pagesOfProblems = laterPages(problems);
    if (pagesOfProblems.length > 0)
      await transaction
        .insert(codeImportProblems)
        .values(pagesOfProblems.map(({ page, json }) => ({ importId: report.id, page, problems: json })));
    const pagesOfDuplicates = laterPages(duplicates);
    if (pagesOfDuplicates.length > 0)
      await transaction
        .insert(codeImportDuplicates)
        .values(pagesOfDuplicates.map(({ page, json }) => ({ importId: report.id, page, duplicates: json })));
  });
}

/** The entries of a report from the second page on; the report itself has the first. */
function laterPages(entries: unknown[]): { page: number; json: string }[] {
  const pages = [];
  for (let page = 2; (page - 1) * REPORT_ENTRIES_PER_PAGE < entries.length; page += 1) {
    const start = (page - 1) * REPORT_ENTRIES_PER_PAGE;
    pages.push({ page, json: JSON.stringify(entries.slice(start, start + REPORT_ENTRIES_PER_PAGE)) });
  }
  return pages;
}

export async function findImport(orm: Orm, accountId: string, id: string): Promise<ImportReport> {
  const [found] = await orm
    .select({ report: codeImports.report })
    .from(codeImports)
    .where(and(eq(codeImports.id, id), eq(codeImports.accountId, accountId)));
  if (!found) throw new ApiError('not_found');
  return found.report as ImportReport;
}

/** How many problems and duplicates the report on a file has, without reading the report; null if it was dropped. */
export async function countReported(
  orm: Orm,
  id: string,
): Promise<{ mistakes: number; duplicates: number } | null> {
  const [found] = await orm
    .select({
      mistakes: sql<number>`(${codeImports.report}->>'problemCount')::int`,
      duplicates: sql<number>`(${codeImports.report}->>'duplicateCount')::int`,
    })
    .from(codeImports)
    .where(eq(codeImports.id, id));
  return found ?? null;
}

/** Empty beyond the last page. */
export async function listImportProblems(
  orm: Orm,
  report: ImportReport,
  page: number,
): Promise<ImportProblem[]> {
  if (page === 1) return report.problems;
  const [found] = await orm
    .select({ problems: codeImportProblems.problems })
    .from(codeImportProblems)
    .where(and(eq(codeImportProblems.importId, report.id), eq(codeImportProblems.page, page)));
  return found ? JSON.parse(found.problems) : [];
}

/** Empty beyond the last page. */
export async function listImportDuplicates(
  orm: Orm,
  report: ImportReport,
  page: number,
): Promise<ImportDuplicate[]> {
  if (page === 1) return report.duplicates;
  const [found] = await orm
    .select({ duplicates: codeImportDuplicates.duplicates })
    .from(codeImportDuplicates)
    .where(and(eq(codeImportDuplicates.importId, report.id), eq(codeImportDuplicates.page, page)));
  return found ? JSON.parse(found.duplicates) : [];
}

export async function chooseDuplicates(orm: Orm, id: string, skipDuplicates: boolean): Promise<void> {
  await orm.update(codeImports).set({ skipDuplicates }).where(eq(codeImports.id, id));
}

/** The rows of a part that are to become codes, and whether more parts follow; null if there is no such part. */
export async function readPart(orm: Orm, importId: string, part: number) {
  const next = alias(codeImportParts, 'next');
  const [found] = await orm
    .select({
      rows: codeImportParts.rows,
      skips: codeImports.skipDuplicates,
      isLast: sql<boolean>`${next.part} is null`,
    })
    .from(codeImportParts)
    .innerJoin(codeImports, eq(codeImports.id, codeImportParts.importId))
    .leftJoin(next, and(eq(next.importId, importId), eq(next.part, part + 1)))
    .where(and(eq(codeImportParts.importId, importId), eq(codeImportParts.part, part)));
  if (!found) return null;
  const rows: ImportedRow[] = JSON.parse(found.rows);
  return { rows: rows.filter(({ isDuplicate }) => !(found.skips && isDuplicate)), isLast: found.isLast };
}

/** The codes created from a file so far that still exist, part by part, with the rows that they came from. */
export async function* listImported(
  orm: Orm,
  accountId: string,
  importId: string,
): AsyncGenerator<{ row: number; code: CodeRow }[]> {
  for (let part = 0; ; part += PARTS_AT_ONCE) {
    const parts = await orm
      .select({ rows: codeImportParts.rows })
      .from(codeImportParts)
      .where(
        and(
          eq(codeImportParts.importId, importId),
          between(codeImportParts.part, part, part + PARTS_AT_ONCE - 1),
        ),
      );
    const keys = parts.flatMap(({ rows }) =>
      (JSON.parse(rows) as ImportedRow[]).map(({ row }) => importKey(importId, row)),
    );
    if (keys.length === 0) return;
    const created = await orm
      .select({ id: codes.id })
      .from(codes)
      .where(and(eq(codes.accountId, accountId), inArray(codes.formKey, keys)))
      .orderBy(asc(codes.number));
    const found = await readCodes(
      orm,
      accountId,
      created.map(({ id }) => id),
    );
    yield found.map((code) => ({ row: Number(code.formKey?.split(':').at(-1)), code }));
  }
}

/** Form key of the code created from a row of a file. */
export function importKey(importId: string, row: number): string {
  return `import:${importId}:${row}`;
}
