import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { AccountExport } from '#contract/accounts';
import { readBlocks } from '#host/codes/blocks/blocking';
import { viewRouting } from '#host/codes/routing/routing';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import { type Presenting, presentCode } from './present';
import { tagLabels } from './tags';

type ExportedCode = AccountExport['codes'][number];

const PAGE = 500;
const PART_BYTES = 4 * 1024 * 1024;

/** Every code of an account, deleted ones too, with its history and totals, in pages. */
export async function* exportCodes(
  orm: Orm,
  accountId: string,
  presenting: Presenting,
): AsyncGenerator<ExportedCode[]> {
  let last: string | undefined;
  for (;;) {
    const rows = await readPage(orm, accountId, last);
    if (rows.length === 0) return;
    const blocks = await readBlocks(
      orm,
      rows.map(({ code }) => code),
    );
    for await (const { part, changes } of withChanges(orm, rows))
      yield part.map(({ code, tags, logoName, totals }) => {
        const flat = { ...code, tags, logoName, scans: null, clicks: null, lastAt: null, failing: null };
        const {
          visits: _visits,
          destination: _destination,
          ...presented
        } = presentCode(flat, blocks, presenting);
        return {
          ...presented,
          routing: code.routing && viewRouting(code.routing),
          deletedAt: code.deletedAt?.toISOString() ?? null,
          changes: changes.get(code.id) ?? [],
          totals: { scans: totals?.scans ?? 0, clicks: totals?.clicks ?? 0, others: totals?.others ?? 0 },
        };
      });
    last = rows.at(-1)?.code.id;
  }
}

/** The rows of a page with their history, in parts: one code, or as many as have `PART_BYTES` of it together. */
async function* withChanges<Row extends { code: { id: string } }>(orm: Orm, rows: Row[]) {
  const ids = rows.map(({ code }) => code.id);
  const sizes = await orm
    .select({
      id: codeChanges.codeId,
      bytes: sql<number>`sum(octet_length(${codeChanges.before}) + octet_length(${codeChanges.after}))::int`,
    })
    .from(codeChanges)
    .where(inArray(codeChanges.codeId, ids))
    .groupBy(codeChanges.codeId);
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  let from = 0;
  while (from < rows.length) {
    let [to, bytes] = [from, 0];
    do {
      bytes += bytesOf.get(ids[to] ?? '') ?? 0;
      to += 1;
    } while (to < rows.length && bytes + (bytesOf.get(ids[to] ?? '') ?? 0) <= PART_BYTES);
    yield { part: rows.slice(from, to), changes: await readChanges(orm, ids.slice(from, to)) };
    from = to;
  }
}

function readPage(orm: Orm, accountId: string, last: string | undefined) {
  return orm
    .select({ code: codes, tags: tagLabels, logoName: logos.name, totals: codeTotals })
    .from(codes)
    .leftJoin(logos, eq(logos.id, codes.logoId))
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id))
    .where(and(eq(codes.accountId, accountId), last === undefined ? undefined : gt(codes.id, last)))
    .orderBy(asc(codes.id))
    .limit(PAGE);
}

async function readChanges(orm: Orm, ids: string[]): Promise<Map<string, ExportedCode['changes']>> {
  const rows = await orm
    .select()
    .from(codeChanges)
    .where(inArray(codeChanges.codeId, ids))
    .orderBy(asc(codeChanges.at));
  const found = new Map<string, ExportedCode['changes']>();
  for (const { codeId, at, field, before, after } of rows) {
    const own = found.get(codeId) ?? [];
    own.push({ at: at.toISOString(), field, before, after });
    found.set(codeId, own);
  }
  return found;
}
