import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { dropUnusedLogos } from '#host/codes/logos/store';
import type { Orm } from '#host/db/client';
import { codeChanges } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import type { Change } from './store';

/** How much of its history a code keeps: as many of the newest rows, and bytes of them; the last change in any case. */
const KEPT = { rows: 500, bytes: 1024 * 1024 };

/** Writes changes into the history of a code, and drops the oldest that it has no room for. Call it in a transaction. */
export async function recordChanges(
  orm: Orm,
  codeId: string,
  at: Date,
  changes: Omit<Change, 'at'>[],
): Promise<void> {
  await orm
    .insert(codeChanges)
    .values(changes.map((change) => ({ id: randomUUID(), codeId, at, ...change })));
  const { id, field, before, after } = codeChanges;
  const dropped = await readRows<Pick<Change, 'field' | 'before'>>(
    orm,
    sql`delete from ${codeChanges} where ${id} in (
      select id from (
        select ${id}, row_number() over newest as rows,
          sum(octet_length(${before}) + octet_length(${after})) over newest as bytes
        from ${codeChanges} where ${codeChanges.codeId} = ${codeId}
        window newest as (order by ${codeChanges.at} desc, ${id} desc)
      ) as kept where rows > ${KEPT.rows} or (rows > ${changes.length} and bytes > ${KEPT.bytes})
    ) returning ${field}, ${before}`,
  );
  await dropUnusedLogos(orm, dropped.flatMap(logosIn));
}

/** The uploaded logo that a change took away, as `logoText` writes it. */
function logosIn({ field, before }: Pick<Change, 'field' | 'before'>): string[] {
  const { id } = (field === 'logo' && before ? JSON.parse(before) : {}) as { id?: string };
  return id ? [id] : [];
}
