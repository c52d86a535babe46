import { and, desc, eq, isNull, lt, type SQL } from 'drizzle-orm';
import { campaignInputs } from '#contract/campaign';
import type { CODE_COLUMNS } from '#contract/exports';
import { type Blocks, readBlocks } from '#host/codes/blocks/blocking';
import { type Presenting, presentCode } from '#host/codes/code/present';
import { hasTag, tagLabels } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import type { Caller } from '#host/http/caller';

type CodeRow = Record<(typeof CODE_COLUMNS)[number], string | number | null>;

const PAGE_SIZE = 500;

/** Every code of an account, or every one with a tag, as in its list, newest first, page by page, with keyset pagination. */
export async function* listCodeRows(
  orm: Orm,
  { accountId, tag }: Pick<Caller, 'accountId' | 'tag'>,
  presenting: Presenting,
): AsyncGenerator<CodeRow[]> {
  let last: number | undefined;
  do {
    const rows = await readPage(orm, and(eq(codes.accountId, accountId), hasTag(tag)), last);
    const blocks = await readBlocks(
      orm,
      rows.map(({ code }) => code),
    );
    yield rows.map((row) => presentRow(row, blocks, presenting));
    last = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.code.number;
  } while (last);
}

function readPage(orm: Orm, isWanted: SQL | undefined, last: number | undefined) {
  const isAfter = last === undefined ? undefined : lt(codes.number, last);
  return orm
    .select({ code: codes, tags: tagLabels, totals: codeTotals })
    .from(codes)
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id))
    .where(and(isWanted, isNull(codes.deletedAt), isAfter))
    .orderBy(desc(codes.number))
    .limit(PAGE_SIZE);
}

function presentRow(
  { code, tags, totals }: Awaited<ReturnType<typeof readPage>>[number],
  blocks: Blocks,
  presenting: Presenting,
): CodeRow {
  const [scans, clicks, lastAt] = [totals?.scans ?? 0, totals?.clicks ?? 0, totals?.lastAt ?? null];
  const { visits, ...presented } = presentCode(
    { ...code, tags, logoName: null, scans, clicks, lastAt, failing: null },
    blocks,
    presenting,
  );
  return {
    id: presented.id,
    type: presented.type,
    content: presented.content,
    subject: presented.subject,
    body: presented.body,
    visibility: presented.visibility,
    link: presented.link,
    scan_link: presented.scanLink,
    created_at: presented.createdAt,
    updated_at: presented.updatedAt,
    visits: visits.total,
    scans,
    clicks,
    others: totals?.others ?? 0,
    last_visit_at: visits.lastAt,
    name: presented.name,
    tags: presented.tags.join(', '),
    archived_at: presented.archivedAt,
    blocked_at: presented.blocked?.at ?? null,
    blocked_reason: presented.blocked?.reason ?? null,
    counted: String(presented.counted),
    ...campaignInputs(presented.campaign),
    final_address: presented.finalAddress,
  };
}
