import { sql } from 'drizzle-orm';
import { type Campaign, finalAddress } from '#contract/campaign';
import { DYNAMIC_TYPES, isRedirected } from '#contract/contents/contents';
import type { Routing, Variant } from '#contract/routing-rules';
import { targetOf } from '#contract/web-addresses';
import { type createBlockedHosts, isAtHost } from '#host/codes/blocks/blocked-hosts';
import { withCampaign } from '#host/codes/code/campaign';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { currentLanguages, isRouted, targetsOf } from '#host/codes/routing/routing';
import type { Database, Statement } from '#host/db/client';
import type { StoredRouting } from '#host/db/codes.tables';
import type { CachedCode } from './packed-code';

export type CodeRow = CachedCode & { slug: string };

interface Row {
  slug: string;
  id: string;
  account_id: string;
  type: CachedCode['type'];
  content: string;
  subject: string;
  body: string;
  routing: StoredRouting | null;
  visibility: string;
  deleted_at: Date | null;
  blocked_at: Date | null;
  is_counted: boolean;
  name: string | null;
  campaign: Campaign | null;
  /** The first one; null without a campaign. */
  tag: string | null;
}

const PAGE_SIZE = 500;
const TAG = '(select label from tags where tags.id = tag_ids[1] and campaign is not null) as tag';
const COLUMNS = `slug, id, account_id, type, content, subject, body, routing, visibility, deleted_at, blocked_at, is_counted,
  name, campaign, ${TAG}`;
const SELECT_BY_SLUG = `select ${COLUMNS} from codes where slug = $1`;
const SELECT_WITH_BLOCKED_HOSTS = `select ${COLUMNS}, array(select host from blocked_targets) as hosts from codes where slug =`;
const SELECT_BY_SLUGS = `select ${COLUMNS} from codes where slug = any ($1::text[])`;
const VISITED = DYNAMIC_TYPES.map((type) => `'${type}'`).join();
const SELECT_PUBLIC = `select ${COLUMNS} from codes
  where slug > $1 and visibility = 'public' and type in (${VISITED}) and deleted_at is null order by slug limit ${PAGE_SIZE}`;

export type BlockedHosts = ReturnType<typeof createBlockedHosts>;

export async function readCode(db: Database, blocked: BlockedHosts, slug: string): Promise<CodeRow | null> {
  const [code] = await readBy(db, blocked, { name: 'code_by_slug', text: SELECT_BY_SLUG, values: [slug] });
  return code ?? null;
}

/** The code on a replica, and the time up to which that has all changes; null if it lacks the code or there is none. */
export async function readReplicaCode(
  db: Database,
  slug: string,
): Promise<{ row: CodeRow; asOf: number } | null> {
  const found = await db.reads.lookUp<Row & { hosts: string[] }>(
    sql`${sql.raw(SELECT_WITH_BLOCKED_HOSTS)} ${slug}`,
  );
  const row = found?.rows[0];
  if (!row) return null;
  const { hosts, ...code } = row;
  return { row: codeOf(code, new Set(hosts)), asOf: Math.floor(found.asOf) };
}

export function readCodes(db: Database, blocked: BlockedHosts, slugs: string[]): Promise<CodeRow[]> {
  return readBy(db, blocked, { name: 'codes_by_slug', text: SELECT_BY_SLUGS, values: [slugs] });
}

/** The next 500 public codes, by slug. */
export function readPublicCodes(db: Database, blocked: BlockedHosts, after: string): Promise<CodeRow[]> {
  return readBy(db, blocked, { name: 'public_codes', text: SELECT_PUBLIC, values: [after] });
}

async function readBy(db: Database, blocked: BlockedHosts, statement: Statement): Promise<CodeRow[]> {
  const [rows, hosts] = await Promise.all([db.query<Row>(statement), blocked.read()]);
  return rows.map((row) => codeOf(row, hosts));
}

function codeOf(
  { account_id, visibility, deleted_at, blocked_at, is_counted, routing, name, campaign, tag, ...row }: Row,
  blockedHosts: ReadonlySet<string>,
): CodeRow {
  // Computed once here instead of on every visit.
  const words = { name, tags: tag === null ? [] : [tag], slug: row.slug };
  const content = isRedirected(row.type) ? finalAddress(targetOf(row.content), campaign, words) : row.content;
  const inAscii = visitedRouting(routing);
  const visited = campaign ? withCampaign(inAscii, campaign, words) : inAscii;
  const { urls, redirect } = HOSTED[row.type];
  const links = blockedHosts.size > 0 ? (urls?.(content) ?? []) : [];
  const isBlocked = (url: string) => isAtHost(url, blockedHosts);
  const blockedLinks = links.filter(isBlocked);
  const leadsNowhere = redirect !== undefined && links.length > 0 && blockedLinks.length === links.length;
  return {
    ...row,
    content,
    accountId: account_id,
    isPrivate: visibility === 'private',
    isDeleted: deleted_at !== null,
    isCounted: is_counted,
    isBlocked: blocked_at !== null || leadsNowhere || (isRedirected(row.type) && isBlocked(content)),
    blockedLinks: blockedHosts.size > 0 ? [...blockedLinks, ...targetsOf(visited).filter(isBlocked)] : [],
    routing: visited,
  };
}

/** With targets in ASCII, as headers need them, and languages by their codes; null if visits always get the content. */
function visitedRouting(routing: StoredRouting | null): Routing | null {
  if (!isRouted(routing)) return null;
  const { rules, schedule, pause, end } = routing;
  const inAscii = (variant: Variant) => ({ ...variant, target: targetOf(variant.target) });
  return {
    rules: rules.map((rule) => ({
      ...rule,
      languages: currentLanguages(rule.languages),
      variants: rule.variants.map(inAscii),
    })),
    schedule: schedule && { ...schedule, target: targetOf(schedule.target) },
    pause,
    end: end && { ...end, target: end.target && targetOf(end.target) },
  };
}
