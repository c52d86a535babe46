import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Orm } from '#host/db/client';
import { codes, logos } from '#host/db/codes.tables';
import { invalidField } from '#host/http/errors';

/**
 * The id to store with a code of this account: that of an identical logo if another of its codes has one. Refuses the
 * field `logo` with `logo_total` if all its logos would take more than `mostBytes`. The account must be locked.
 */
export async function deduplicateLogo(
  orm: Orm,
  accountId: string,
  logoId: string,
  mostBytes: number,
): Promise<string> {
  const ofAccount = orm
    .selectDistinct({ id: codes.logoId })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), isNull(codes.deletedAt), isNotNull(codes.logoId)));
  const upload = alias(logos, 'taken');
  const [existing] = await orm
    .select({ id: logos.id })
    .from(logos)
    .innerJoin(upload, and(eq(upload.png, logos.png), eq(upload.name, logos.name), ne(upload.id, logos.id)))
    .where(and(eq(upload.id, logoId), inArray(logos.id, ofAccount)))
    .limit(1);
  if (existing) return existing.id;
  const [total] = await orm
    .select({ bytes: sql<string>`coalesce(sum(octet_length(${logos.png})), 0)` })
    .from(logos)
    .where(or(eq(logos.id, logoId), inArray(logos.id, ofAccount)));
  if (Number(total?.bytes) > mostBytes) throw invalidField('logo', 'logo_total');
  return logoId;
}
