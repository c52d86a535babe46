import { inArray } from 'drizzle-orm';
import type { CodeBlock } from '#contract/code-blocks';
import { targetOf } from '#contract/contents';
import type { Orm } from '#host/db/client';
import type { codes } from '#host/db/codes.tables';
import { blockedTargets } from '#host/db/operator.tables';
import { readBlockReasons } from '#host/operator/audit-log.store';
import { listHostsOf } from '#host/visits/blocked-hosts';

type Blockable = Pick<typeof codes.$inferSelect, 'id' | 'accountId' | 'type' | 'content' | 'blockedAt'>;
/** By code id; contains only blocked codes. */
export type Blocks = ReadonlyMap<string, CodeBlock>;

/** What blocks these codes, with the reason given to their owner. */
export async function readBlocks(orm: Orm, codes: readonly Blockable[]): Promise<Blocks> {
  const hostsOf = (code: Blockable) => (code.type === 'link' ? listHostsOf(targetOf(code.content)) : []);
  const named = [...new Set(codes.flatMap(hostsOf))];
  const targets =
    named.length === 0
      ? []
      : await orm.select().from(blockedTargets).where(inArray(blockedTargets.host, named));
  const hosts = new Map(targets.map(({ host, at }) => [host, at]));
  const found: { code: Blockable; at: Date; host: string | null }[] = codes.flatMap((code) => {
    const host = code.blockedAt ? null : (hostsOf(code).find((one) => hosts.has(one)) ?? null);
    const at = code.blockedAt ?? (host === null ? undefined : hosts.get(host));
    return at ? [{ code, at, host }] : [];
  });
  if (found.length === 0) return new Map();
  const reasons = await readBlockReasons(orm, {
    accountIds: found.map(({ code }) => code.accountId),
    subjects: found.map(({ code, host }) => host ?? code.id),
  });
  return new Map(
    found.map(({ code, at, host }) => [
      code.id,
      {
        scope: host === null ? ('code' as const) : ('host' as const),
        host,
        at: at.toISOString(),
        reason: reasons.get(host ?? code.id) || null,
      },
    ]),
  );
}
