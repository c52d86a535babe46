import { and, desc, eq, exists, inArray, isNotNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { OwnLogo } from '#contract/logo-choice';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, drafts, logos, styles } from '#host/db/codes.tables';
import { codeJobs } from '#host/db/jobs.tables';
import { invalidField } from '#host/http/errors';

export async function insertLogo(orm: Orm, logo: typeof logos.$inferInsert): Promise<void> {
  await orm.insert(logos).values(logo);
}

export async function getLogoPng(orm: Orm, id: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const [row] = await orm.select({ png: logos.png }).from(logos).where(eq(logos.id, id));
  return row ? new Uint8Array(row.png) : null;
}

/** The uploaded logo of a code; null if it has none. */
export async function findLogoOf(orm: Orm, codeId: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const [row] = await orm
    .select({ png: logos.png })
    .from(codes)
    .innerJoin(logos, eq(logos.id, codes.logoId))
    .where(eq(codes.id, codeId));
  return row ? new Uint8Array(row.png) : null;
}

const named = { id: logos.id, name: logos.name };

/** An account's own logos, newest first. */
export async function listLogos(orm: Orm, accountId: string): Promise<OwnLogo[]> {
  return orm
    .select(named)
    .from(logos)
    .where(eq(logos.accountId, accountId))
    .orderBy(desc(logos.createdAt), logos.id);
}

/** Locks it as well, so that it is not dropped before the end of a transaction; null if the account has no such logo. */
export async function findLogo(orm: Orm, accountId: string, id: string): Promise<OwnLogo | null> {
  // Also by its codes, as the previous release does not write whose a logo is.
  const onCode = exists(
    orm
      .select({ one: sql`1` })
      .from(codes)
      .where(and(eq(codes.logoId, logos.id), eq(codes.accountId, accountId))),
  );
  const [own] = await orm
    .select(named)
    .from(logos)
    .where(and(eq(logos.id, id), or(eq(logos.accountId, accountId), onCode)))
    .for('key share');
  return own ?? null;
}

/**
 * Makes a stored logo one of an account, which must be locked; returns its id, or that of an equal one that the account
 * has already. If all its logos would take more than `maxBytes`, those that are only in the history of codes or on deleted ones go first;
 * then the field `logo` is refused with `logo_total`.
 */
export async function adoptLogo(orm: Orm, accountId: string, id: string, maxBytes: number): Promise<string> {
  const stored = alias(logos, 'stored');
  const [equal] = await orm
    .select({ id: logos.id })
    .from(logos)
    .innerJoin(stored, and(eq(stored.png, logos.png), eq(stored.name, logos.name)))
    .where(and(eq(stored.id, id), eq(logos.accountId, accountId)))
    .limit(1);
  if (equal) return equal.id;
  await orm.update(logos).set({ accountId }).where(eq(logos.id, id));
  if ((await bytesOf(orm, accountId)) <= maxBytes) return id;
  await orm
    .update(codes)
    .set({ logoId: null })
    .where(and(eq(codes.accountId, accountId), isNotNull(codes.eraseAt)));
  const others = sql`${logos.id} <> ${id}`;
  await orm
    .delete(logos)
    .where(and(eq(logos.accountId, accountId), others, unused(orm, { inHistory: false })));
  if ((await bytesOf(orm, accountId)) > maxBytes) throw invalidField('logo', 'logo_total');
  return id;
}

async function bytesOf(orm: Orm, accountId: string): Promise<number> {
  const [total] = await orm
    .select({ bytes: sql<string>`coalesce(sum(octet_length(${logos.png})), 0)` })
    .from(logos)
    .where(eq(logos.accountId, accountId));
  return Number(total?.bytes);
}

/** Drops the given logos that nothing uses any more; one that a draft still shows is dropped with the draft. */
export async function dropUnusedLogos(orm: Orm, ids: string[]): Promise<void> {
  const chunk = 1000;
  for (let start = 0; start < ids.length; start += chunk) {
    await orm.delete(logos).where(and(inArray(logos.id, ids.slice(start, start + chunk)), unused(orm)));
  }
}

/** Drops the logos of an account that has no codes any more; one that a draft still shows is dropped with the draft. */
export async function dropLogos(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(logos).where(and(eq(logos.accountId, accountId), unused(orm)));
}

/** The uploaded logos that a code had before. */
export async function listEarlierLogos(orm: Orm, codeId: string): Promise<string[]> {
  const rows = await orm
    .select({ id: logos.id })
    .from(logos)
    .innerJoin(codeChanges, isEarlier)
    .where(eq(codeChanges.codeId, codeId));
  return rows.map(({ id }) => id);
}

/** As `logoText` writes it and `code_changes_logo` indexes it. */
const isEarlier = and(
  eq(codeChanges.field, 'logo'),
  sql`substr(${codeChanges.before}, 8, 36) = ${logos.id}::text`,
);

/** Whether no code, draft, saved look or running job uses a logo, nor the history of a code. */
export function unused(orm: Orm, { inHistory = true } = {}): SQL | undefined {
  const used = { one: sql`1` };
  const ofAccount = (other: { accountId: typeof logos.accountId | typeof styles.accountId }) =>
    eq(other.accountId, logos.accountId);
  return and(
    notExists(orm.select(used).from(codes).where(eq(codes.logoId, logos.id))),
    notExists(orm.select(used).from(drafts).where(eq(drafts.logoId, logos.id))),
    notExists(
      orm
        .select(used)
        .from(styles)
        .where(and(ofAccount(styles), sql`${styles.logo} ->> 'id' = ${logos.id}::text`)),
    ),
    notExists(
      orm
        .select(used)
        .from(codeJobs)
        .where(
          and(
            eq(codeJobs.accountId, logos.accountId),
            eq(codeJobs.status, 'running'),
            sql`${codeJobs.logo} ->> 'id' = ${logos.id}::text`,
          ),
        ),
    ),
    inHistory ? notExists(orm.select(used).from(codeChanges).where(isEarlier)) : undefined,
  );
}
