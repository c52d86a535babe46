import { eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { DestinationCheck } from '#contract/destination-checks';
import { displayedTarget } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { destinations } from '#host/db/insight.tables';
import { addressesAt, isOfInterest } from './destination';

/** What was seen last at each address that a code leads to now; none if they are not checked. */
export async function readChecks(
  orm: Orm,
  codeId: string,
  now: Date,
): Promise<z.output<typeof DestinationCheck>[]> {
  const { checkedAt, problem, status, movedTo, confirmedAt, nextAt } = destinations;
  const rows = await orm
    .select({ address: sql<string>`one.address`, checkedAt, problem, status, movedTo, confirmedAt, nextAt })
    .from(codes)
    .innerJoinLateral(
      sql`(select distinct a as address from unnest(${addressesAt(now)}) a) as one`,
      sql`true`,
    )
    .leftJoin(
      destinations,
      sql`${destinations.key} = md5(one.address) and ${destinations.address} = one.address`,
    )
    .where(sql`${eq(codes.id, codeId)} and ${isOfInterest(now)} and one.address is not null`)
    .orderBy(sql`one.address <> ${codes.content}`, sql`one.address`);
  return rows.map(({ address, nextAt, checkedAt, confirmedAt, ...seen }) => ({
    ...seen,
    address: displayedTarget(address),
    checkedAt: checkedAt?.toISOString() ?? null,
    isConfirmed: confirmedAt !== null,
    isDue: nextAt !== null && nextAt <= now,
  }));
}

/** Makes the destinations of a code due. */
export async function requestChecks(orm: Orm, codeId: string, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await orm.execute(
    sql`insert into destinations (key, address, next_at)
      select distinct on (md5(one.address)) md5(one.address), one.address, ${at}
      from ${codes}, unnest(${addressesAt(now)}) as one(address)
      where ${codes.id} = ${codeId} and ${isOfInterest(now)} and one.address is not null
      order by md5(one.address)
      on conflict (key) do update set next_at = least(destinations.next_at, excluded.next_at)`,
  );
}
