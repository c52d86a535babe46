import { and, desc, eq, gt, isNull, lt, ne, sql } from 'drizzle-orm';
import { hasAddress } from '#contract/advertised-addresses';
import type { CodeType } from '#contract/codes';
import { LONGEST_SHARED_DAYS, type SharedReport, type SharedStatistics } from '#contract/shared-reports';
import { type Statistics, StatisticsFilter } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { hashToken } from '#host/accounts/mail-tokens';
import { reseal, resealAll, seal, unseal } from '#host/accounts/sealed-secrets';
import { displayedContent } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { sharedReports } from '#host/db/insight.tables';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { addDays, dateAt, spansOf, startOfDay } from './time-zone';

export type SharedReportRow = typeof sharedReports.$inferSelect;

const TOKEN_BYTES = 24;
const BATCH = 500;
/** How long an ended link is told apart from an unknown one. */
const KEPT_MS = 365 * DAY_MS;

/** A new token, as it is stored. */
export function newToken(
  id: string,
  { random, settings }: Pick<Deps, 'random' | 'settings'>,
): Pick<SharedReportRow, 'hash' | 'sealed'> {
  const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  const sealed = seal(Buffer.from(token), ownerOf(id), { secrets: settings.jwtSecrets, random });
  return { hash: hashToken(token), sealed };
}

const ownerOf = (id: string) => `shared report ${id}`;

/** The end of the last day on which a link works. Throws `invalid` for a day that is over, or too far away. */
export function endOf(
  { days, until }: { days?: number | undefined; until?: string | undefined },
  timeZone: string,
  now: Date,
): Date {
  const today = dateAt(timeZone, now.getTime());
  const last = until ?? addDays(today, days ?? 0);
  if (last < today || last > addDays(today, LONGEST_SHARED_DAYS))
    throw invalidField('until', 'report_end_invalid');
  const next = addDays(last, 1);
  const spans = spansOf(timeZone, Date.parse(last) - DAY_MS, Date.parse(next) + 2 * DAY_MS);
  return new Date(startOfDay(spans, next));
}

/** Those that have not ended, newest first, each with the code that it is about. */
export async function listSharedReports(orm: Orm, accountId: string, now: Date) {
  const { type, name, content } = codes;
  return orm
    .select({ report: sharedReports, code: { type, name, content } })
    .from(sharedReports)
    .leftJoin(
      codes,
      and(
        sql`${codes.id}::text = ${sharedReports.filter}->>'code'`,
        eq(codes.accountId, accountId),
        isNull(codes.deletedAt),
      ),
    )
    .where(and(eq(sharedReports.accountId, accountId), gt(sharedReports.endsAt, now)))
    .orderBy(desc(sharedReports.createdAt), desc(sharedReports.id));
}

export type ListedReport = Awaited<ReturnType<typeof listSharedReports>>[number];

/** Without the token. */
export function presentReport({ report, code }: ListedReport): Omit<SharedReport, 'token'> {
  const { id, name, createdAt, endsAt } = report;
  const { period = null, from = null, to = null, ...filter } = filterOf(report);
  return {
    id,
    name,
    filter: { period, from, to, ...filter },
    code: code && { type: code.type, name: code.name, content: displayedContent(code) },
    createdAt: createdAt.toISOString(),
    endsAt: endsAt.toISOString(),
  };
}

/** The token; null if it was sealed with a secret that is gone. */
export function tokenOf(
  { id, sealed }: SharedReportRow,
  { settings, log }: Pick<Deps, 'settings' | 'log'>,
): string | null {
  try {
    return Buffer.from(unseal(sealed, ownerOf(id), settings.jwtSecrets).plain).toString();
  } catch (error) {
    log.warn({ err: error, report: id }, 'the link to a report cannot be decrypted');
    return null;
  }
}

/** Seals tokens again that were sealed with an older secret. */
export async function resealSharedReports({
  db,
  random,
  settings,
  log,
}: Pick<Deps, 'db' | 'random' | 'settings' | 'log'>): Promise<void> {
  await resealAll<SharedReportRow>(log, {
    list: (last) =>
      db.orm
        .select()
        .from(sharedReports)
        .where(and(last && gt(sharedReports.id, last.id), ne(sharedReports.sealed, '')))
        .orderBy(sharedReports.id)
        .limit(BATCH),
    ownerOf: ({ id }) => ownerOf(id),
    act: async ({ id, sealed }) => {
      const fresh = reseal(sealed, ownerOf(id), { secrets: settings.jwtSecrets, random });
      if (!fresh) return;
      await db.orm
        .update(sharedReports)
        .set({ sealed: fresh })
        .where(and(eq(sharedReports.id, id), eq(sharedReports.sealed, sealed)));
    },
  });
}

export function filterOf({ filter }: SharedReportRow) {
  return StatisticsFilter.parse(filter);
}

export async function insertSharedReport(orm: Orm, row: SharedReportRow): Promise<void> {
  await orm.insert(sharedReports).values(row);
}

/** By the token of its link, ended or not. */
export async function findSharedReport(orm: Orm, token: string): Promise<SharedReportRow | null> {
  const [row] = await orm
    .select()
    .from(sharedReports)
    .where(eq(sharedReports.hash, hashToken(token)));
  return row ?? null;
}

/** False if it has ended already, or belongs to somebody else. */
export async function endSharedReport(orm: Orm, accountId: string, id: string, now: Date): Promise<boolean> {
  const ended = await orm
    .update(sharedReports)
    .set({ endsAt: now, sealed: '' })
    .where(
      and(eq(sharedReports.id, id), eq(sharedReports.accountId, accountId), gt(sharedReports.endsAt, now)),
    )
    .returning({ id: sharedReports.id });
  return ended.length > 0;
}

export async function eraseSharedReports(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(sharedReports).where(eq(sharedReports.accountId, accountId));
}

export async function dropOldSharedReports(orm: Orm, now: Date): Promise<void> {
  await orm.delete(sharedReports).where(lt(sharedReports.endsAt, new Date(now.getTime() - KEPT_MS)));
}

/** What strangers may see: no content of a code, and no name that contains an address. */
export function withoutPrivate({ tags: _tags, code, mostActive, ...rest }: Statistics): SharedStatistics {
  return {
    ...rest,
    code: code && publicCode(code),
    mostActive: {
      ...mostActive,
      codes: mostActive.codes.map(({ visits, ...ranked }) => ({ ...publicCode(ranked), visits })),
    },
  };
}

function publicCode({ type, name }: { type: CodeType; name: string | null }) {
  return { type, name: name !== null && hasAddress(name) ? null : name };
}
