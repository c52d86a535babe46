import { domainToASCII } from 'node:url';
import { and, asc, eq, ilike, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { CodeBlock } from '#contract/code-blocks';
import { isRedirected, LINKING_TYPES, linksOf } from '#contract/contents/contents';
import { parseUrl } from '#contract/urls';
import { targetOf } from '#contract/web-addresses';
import { readBlockReasons } from '#host/accounts/audit-log';
import { announceChanges, TARGETS_CHANGED } from '#host/codes/code/store';
import type { LinkRules } from '#host/codes/contents/contents';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { targetsOf } from '#host/codes/routing/routing';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { blockedTargets } from '#host/db/operator.tables';
import type { Deps } from '#host/http/deps';
import { isAtHost, listHostsOf } from './blocked-hosts';

const COLUMNS = {
  id: codes.id,
  slug: codes.slug,
  accountId: codes.accountId,
  type: codes.type,
  content: codes.content,
  routing: codes.routing,
  visibility: codes.visibility,
  createdAt: codes.createdAt,
  blockedAt: codes.blockedAt,
  deletedAt: codes.deletedAt,
  eraseAt: codes.eraseAt,
};
/** A code as an operator sees it. */
export type OperatedCode = Pick<typeof codes.$inferSelect, keyof typeof COLUMNS>;

/** Any account's code, deleted ones included. */
export async function findCodeBySlug(orm: Orm, slug: string): Promise<OperatedCode | null> {
  const [code] = await orm.select(COLUMNS).from(codes).where(eq(codes.slug, slug));
  return code ?? null;
}

/** Blocks or unblocks a code and notifies every node. False if it is in that state already. */
export async function setCodeBlocked(
  orm: Orm,
  { id, slug }: Pick<OperatedCode, 'id' | 'slug'>,
  blockedAt: Date | null,
): Promise<boolean> {
  const isChanged = blockedAt ? isNull(codes.blockedAt) : sql`${codes.blockedAt} is not null`;
  const changed = await orm
    .update(codes)
    .set({ blockedAt })
    .where(and(eq(codes.id, id), isNull(codes.deletedAt), isChanged))
    .returning({ id: codes.id });
  if (changed.length > 0) await announceChanges(orm, [{ slug }]);
  return changed.length > 0;
}

/** Normalises the host of a target to lower-case ASCII; null if there is no valid one. */
export function readHost(entered: string): string | null {
  const address = /^https?:\/\//i.test(entered) ? entered : `https://${entered}`;
  const url = parseUrl(address);
  if (!url) return null;
  const host = domainToASCII(url.hostname.replace(/\.$/, ''));
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host) ? host : null;
}

/** Blocks a host and its subdomains for all codes, including future ones. False if it is blocked already. */
export async function blockTarget(orm: Orm, host: string, now: Date): Promise<boolean> {
  const inserted = await orm
    .insert(blockedTargets)
    .values({ host, at: now })
    .onConflictDoNothing()
    .returning({ host: blockedTargets.host });
  if (inserted.length > 0) await announceTargets(orm);
  return inserted.length > 0;
}

/** False if it was not blocked. */
export async function unblockTarget(orm: Orm, host: string): Promise<boolean> {
  const deleted = await orm
    .delete(blockedTargets)
    .where(eq(blockedTargets.host, host))
    .returning({ host: blockedTargets.host });
  if (deleted.length > 0) await announceTargets(orm);
  return deleted.length > 0;
}

export async function listBlockedTargets(orm: Orm) {
  return orm.select().from(blockedTargets).orderBy(asc(blockedTargets.host));
}

/** The rules that links of new and changed codes must follow. */
export async function readLinkRules(
  orm: Orm,
  { publicUrl, shortUrl, hostPublicUrl }: Deps['settings'],
): Promise<LinkRules> {
  const rows = await orm.select({ host: blockedTargets.host }).from(blockedTargets);
  // Nothing else of the settings: the rules are sent to the process that reads files, which must not know secrets.
  return { publicUrl, shortUrl, hostPublicUrl, blockedHosts: new Set(rows.map(({ host }) => host)) };
}

/** Codes with an address at a host or its subdomains. Scans all of them: for operators, never for a visit. */
export async function listCodesTo(orm: Orm, host: string): Promise<OperatedCode[]> {
  // Hosts may contain non-ASCII letters or escapes: those that match are picked out below.
  const isEscaped = sql`${codes.content} ~ '//[^/?#]*(%|[^ -~])'`;
  const hasLinks = inArray(codes.type, LINKING_TYPES);
  const rows = await orm
    .select(COLUMNS)
    .from(codes)
    .where(
      and(
        isNull(codes.deletedAt),
        or(and(hasLinks, or(ilike(codes.content, `%${host}%`), isEscaped)), isNotNull(codes.routing)),
      ),
    )
    .orderBy(codes.accountId, codes.number);
  const hosts = new Set([host]);
  return rows.filter((code) => {
    const links = [...linksOf(code).map(({ link }) => link), ...targetsOf(code.routing)];
    return links.some((link) => isAtHost(targetOf(link), hosts));
  });
}

async function announceTargets(orm: Orm): Promise<void> {
  await announceChanges(orm, [{ slug: TARGETS_CHANGED }]);
}

type Blockable = Pick<
  typeof codes.$inferSelect,
  'id' | 'accountId' | 'type' | 'content' | 'routing' | 'blockedAt'
>;
/** By code id; contains only blocked codes. */
export type Blocks = ReadonlyMap<string, CodeBlock>;

/** Where its visits lead by its content; codes with a page stay in use without a blocked link. */
function contentTargets({ type, content }: Blockable): string[] {
  if (!isRedirected(type) && !HOSTED[type].redirect) return [];
  return linksOf({ type, content }).map(({ link }) => link);
}

/** What blocks these codes, with the reason given to their owner. */
export async function readBlocks(orm: Orm, codes: readonly Blockable[]): Promise<Blocks> {
  const linked = codes.map((code) => ({
    code,
    content: contentTargets(code).map((target) => listHostsOf(targetOf(target))),
    routed: targetsOf(code.routing).flatMap((target) => listHostsOf(targetOf(target))),
  }));
  const named = [...new Set(linked.flatMap(({ content, routed }) => [...content.flat(), ...routed]))];
  const targets =
    named.length === 0
      ? []
      : await orm.select().from(blockedTargets).where(inArray(blockedTargets.host, named));
  const hosts = new Map(targets.map(({ host, at }) => [host, at]));
  const found: { code: Blockable; at: Date; host: string | null }[] = linked.flatMap(
    ({ code, content, routed }) => {
      const shut = content.map((names) => names.find((one) => hosts.has(one)));
      const isShut = shut.every((one) => one !== undefined);
      const host = code.blockedAt
        ? null
        : ((isShut ? shut[0] : undefined) ?? routed.find((one) => hosts.has(one)) ?? null);
      const at = code.blockedAt ?? (host === null ? undefined : hosts.get(host));
      return at ? [{ code, at, host }] : [];
    },
  );
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
