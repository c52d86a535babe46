import { and, asc, between, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  type ImportDuplicate,
  type ImportProblem,
  type ImportReport,
  REPORT_ENTRIES_PER_PAGE,
} from '#contract/imports';
import { type CodeRow, lockOwner, readCodes } from '#host/codes/code/store';
import { hasTag, isInUse } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { codes, tags } from '#host/db/codes.tables';
import { codeImportDuplicates, codeImportParts, codeImportProblems, codeImports } from '#host/db/jobs.tables';
import type { Caller } from '#host/http/caller';
import { ApiError } from '#host/http/errors';
import { designKey, type ImportedRow, type ReadImport } from './report';

/** Whose codes are compared and listed: all of an account, or those with a tag. */
type Owner = Pick<Caller, 'accountId' | 'tag'>;

/** Parts whose rows are looked up together among the codes of the account. */
const PARTS_LOOKED_UP = 25;
/** Parts read together when the created codes are exported. */
const PARTS_AT_ONCE = 10;

/** Keys of the account's tags. */
export async function readTagKeys(orm: Orm, accountId: string): Promise<string[]> {
  const rows = await orm
    .select({ key: tags.key })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), isInUse));
  return rows.map(({ key }) => key);
}

/**
 * Marks the rows that duplicate a code of the account, some parts at a time so that nothing else has to wait. Returns
 * all parts, and all duplicates in the order of their rows.
 */
export async function markDuplicates(
  orm: Orm,
  owner: Owner,
  { parts, repeated }: Pick<ReadImport, 'parts' | 'repeated'>,
): Promise<{ parts: string[]; duplicates: ImportDuplicate[] }> {
  const marked: string[] = [];
  const existing: ImportDuplicate[] = [];
  for (let start = 0; start < parts.length; start += PARTS_LOOKED_UP) {
    const some = parts.slice(start, start + PARTS_LOOKED_UP);
    const read = some.map((part): ImportedRow[] => JSON.parse(part));
    const known = await findExisting(
      orm,
      owner,
      read.flat().map(({ design }) => design.content),
    );
    for (const [index, rows] of read.entries()) {
      const found = rows.filter(({ design, isDuplicate }) => !isDuplicate && known.has(designKey(design)));
      for (const one of found) one.isDuplicate = true;
      existing.push(...found.map(({ row }) => ({ row, of: null })));
      marked.push(found.length > 0 ? JSON.stringify(rows) : (some[index] ?? '[]'));
    }
  }
  return { parts: marked, duplicates: [...repeated, ...existing].sort((a, b) => a.row - b.row) };
}

/** Keys of the account's codes with one of these contents. */
async function findExisting(
  orm: Orm,
  { accountId, tag }: Owner,
  contents: string[],
): Promise<ReadonlySet<string>> {
  const found = await orm
    .select({
      type: codes.type,
      content: codes.content,
      subject: codes.subject,
      body: codes.body,
      campaign: codes.campaign,
    })
    .from(codes)
    .where(
      and(
        eq(codes.accountId, accountId),
        isNull(codes.deletedAt),
        hasTag(tag),
        sql`${codes.content} = any (${sql.param(contents)}::text[])`,
      ),
    );
  return new Set(found.map(designKey));
}

/** Throws `unauthenticated` if the account was erased in the meantime. */
export async function insertImport(
  orm: Orm,
  { accountId, tag }: Owner,
  report: ImportReport,
  read: { parts: string[]; problemPages: string[]; duplicates: ImportDuplicate[] },
): Promise<void> {
  await orm.transaction(async (transaction) => {
    if (!(await lockOwner(transaction, accountId))) throw new ApiError('unauthenticated');
    const createdAt = new Date(report.createdAt);
    const importId = report.id;
    await transaction.insert(codeImports).values({
      id: importId,
      accountId,
      report,
      withinTag: tag?.label ?? null,
      createdAt,
    });
    const parts = read.parts.map((rows, part) => ({ importId, part, rows }));
    if (parts.length > 0) await transaction.insert(codeImportParts).values(parts);
    // The report itself has the first page.
    const problems = read.problemPages.map((page, index) => ({ importId, page: index + 2, problems: page }));
    if (problems.length > 0) await transaction.insert(codeImportProblems).values(problems);
    const duplicates = laterPages(read.duplicates);
    if (duplicates.length > 0)
      await transaction
        .insert(codeImportDuplicates)
        .values(duplicates.map(({ page, json }) => ({ importId, page, duplicates: json })));
  });
}

/** Entries from the second page on. */
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
  { accountId, tag }: Owner,
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
      tag,
    );
    yield found.map((code) => ({ row: Number(code.formKey?.split(':').at(-1)), code }));
  }
}

/** Ids of the codes created from a file that still exist, in the order of its rows. */
export async function listImportedIds(
  orm: Orm,
  { accountId, tag }: Owner,
  importId: string,
): Promise<string[]> {
  const rows = await orm
    .select({ id: codes.id })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), isMadeBy(importId), isNull(codes.deletedAt), hasTag(tag)))
    .orderBy(asc(codes.number));
  return rows.map(({ id }) => id);
}

/** Whether an import has made a code. */
export function isMadeBy(importId: string): SQL {
  return sql`starts_with(${codes.formKey}, ${importKey(importId, '')})`;
}

/** Form key of the code created from a row of a file. */
export function importKey(importId: string, row: number | ''): string {
  return `import:${importId}:${row}`;
}
