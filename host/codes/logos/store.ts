import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codes, logos } from '#host/db/codes.tables';

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

/** Drops the given logos that no code uses any more; one that a draft still shows is dropped with the draft. */
export async function dropUnusedLogos(orm: Orm, ids: string[]): Promise<void> {
  const chunk = 1000;
  for (let start = 0; start < ids.length; start += chunk) {
    await orm
      .delete(logos)
      .where(
        and(
          inArray(logos.id, ids.slice(start, start + chunk)),
          sql`not exists (select 1 from codes where codes.logo_id = ${logos.id})`,
          sql`not exists (select 1 from drafts where drafts.logo_id = ${logos.id})`,
        ),
      );
  }
}
