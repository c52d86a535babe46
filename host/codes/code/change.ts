import { and, eq, isNull } from 'drizzle-orm';
import type { Campaign } from '#contract/campaign';
import { type CodeType, isDynamic } from '#contract/contents/contents';
import type { LogoChoice } from '#contract/logo-choice';
import type { Style } from '#contract/style-rules';
import { MINUTE_MS } from '#contract/time';
import { displayedContent } from '#host/codes/contents/contents';
import { logoText, readLogoChoice } from '#host/codes/logos/choice';
import { storedStyle, styleText } from '#host/codes/looks/store';
import type { RoutingEdit } from '#host/codes/routing/edits';
import { NO_ROUTING, routingTexts } from '#host/codes/routing/routing';
import { scheduleRouting } from '#host/codes/routing/schedule';
import type { Orm } from '#host/db/client';
import { codes, logos } from '#host/db/codes.tables';
import { ApiError, invalidField } from '#host/http/errors';
import { isExpected, versionTag } from '#host/http/versions';
import { campaignText, requireCampaign } from './campaign';
import { recordChanges } from './history';
import { announceChanges, countListed, lockOwner } from './store';
import { dropUnusedTags, idsOf, readLabels, tagLabels, takeTags } from './tags';
import { recordEvents } from './webhook-events';

type ContentField = 'content' | 'subject' | 'body' | 'visibility';
type Kept = typeof codes.$inferSelect & { tags: string[]; logoName: string | null };

/** New values for a code; absent fields stay unchanged. */
export interface WantedValues {
  /** Content, subject, body and visibility, from what the code has when it is locked. */
  contents?: ((before: Kept) => Pick<WantedValues, ContentField>) | undefined;
  content?: string | undefined;
  subject?: string | undefined;
  body?: string | undefined;
  visibility?: 'private' | 'public' | undefined;
  name?: string | null | undefined;
  /** All its tags, or how they change. */
  tags?: string[] | ((before: string[]) => string[]) | undefined;
  archived?: boolean | undefined;
  counted?: boolean | undefined;
  watched?: boolean | undefined;
  /** Null for the default look. */
  style?: Style | null | undefined;
  logo?: LogoChoice | undefined;
  routing?: RoutingEdit | undefined;
  campaign?: Campaign | null | undefined;
}

/** Of which the final addresses consist: a refused one is that of the first that is to change. */
const CAMPAIGN_FIELDS = ['campaign', 'content', 'name', 'tags', 'routing'] as const;

/** A moment of a form may be over when it arrives. */
const MOMENT_MS = 2 * MINUTE_MS;
const ROUTED = ['rules', 'schedule', 'pause', 'end'] as const;
const OPENED = ['content', 'subject', 'body', 'visibility', 'counted', 'campaign', ...ROUTED] as const;
/** What parameters of a code may contain. */
const NAMED = ['name', 'tags'] as const;

/**
 * Writes new values with their history, and notifies every node of what visitors see. False if nothing is left to
 * change: the same change was sent twice at once, or the code was deleted or erased meanwhile, and its old content must
 * not come back. Refuses the field `tags` as `takeTags` does, `logo` as `readLogoChoice` does, what a routing
 * refuses, an end by visits that are not counted, and what would make an address with campaign parameters too long.
 */
export async function changeCode(
  orm: Orm,
  { accountId, id }: { accountId: string; id: string },
  given: WantedValues,
  at: Date,
): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    if (isListedBy(given) && !(await lockOwner(transaction, accountId))) return false;
    const found = await lockCode(transaction, accountId, id);
    if (!found) return false;
    const before = changesSchedule(found, given) ? found : await settle(transaction, found, at);
    return writeChange(transaction, before, given, at);
  });
}

/** Whoever removes or replaces a schedule at its moment does not want it. */
function changesSchedule({ routing }: Kept, given: WantedValues): boolean {
  const before = routing ?? NO_ROUTING;
  return given.routing !== undefined && given.routing(before).schedule !== before.schedule;
}

/** Puts a scheduled target whose moment has come into its code, which stays locked. */
export async function takeOver(
  orm: Orm,
  { accountId, id }: { accountId: string; id: string },
  now: Date,
): Promise<void> {
  const code = await lockCode(orm, accountId, id);
  if (code) await settle(orm, code, now);
}

/** What a code has once a scheduled target whose moment has come is its content: whatever else is changed comes after it. */
async function settle(orm: Orm, code: Kept, now: Date): Promise<Kept> {
  const schedule = code.routing?.schedule;
  if (!schedule || new Date(schedule.at) > now) return code;
  const routing: RoutingEdit = (before) => ({ ...before, schedule: null });
  await writeChange(orm, code, { content: schedule.target, routing }, new Date(schedule.at));
  return (await lockCode(orm, code.accountId, code.id)) ?? code;
}

/** Whether a change may count a code elsewhere in lists. */
function isListedBy({ tags, archived }: WantedValues): boolean {
  return tags !== undefined || archived !== undefined;
}

/** In a transaction, with the code locked, and its account as well if it may be counted elsewhere. */
async function writeChange(orm: Orm, before: Kept, given: WantedValues, at: Date): Promise<boolean> {
  const { accountId, id } = before;
  const { contents, ...others } = given;
  const wanted = { ...others, ...contents?.(before) };
  const { tags, archived, counted, watched, style, logo, routing, ...values } = wanted;
  const after = { ...before, ...definedOf(values) };
  if (tags !== undefined) {
    const labels = typeof tags === 'function' ? tags(before.tags) : tags;
    after.tagIds = idsOf(await takeTags(orm, accountId, labels), labels);
    after.tags = await readLabels(orm, after.tagIds);
  }
  if (archived !== undefined) after.archivedAt = archived ? (before.archivedAt ?? at) : null;
  if (counted !== undefined) after.isCounted = counted;
  if (watched !== undefined) after.isWatched = watched;
  if (style !== undefined) after.style = storedStyle(style);
  if (logo) Object.assign(after, await readLogoChoice(orm, accountId, logo));
  if (routing) after.routing = routing(before.routing ?? NO_ROUTING);
  requireCountedEnd(before, after);
  const field = CAMPAIGN_FIELDS.find((name) => wanted[name] !== undefined);
  if (field) requireCampaign(after, field);
  const changed = textsOf(before).flatMap(([field, text], index) => {
    const [, now = ''] = textsOf(after)[index] ?? [];
    return now === text ? [] : [{ field, before: text, after: now }];
  });
  if (changed.length === 0) return false;
  const { tags: _labels, logoName: _name, ...row } = after;
  await orm
    .update(codes)
    .set({ ...row, updatedAt: at })
    .where(eq(codes.id, id));
  await recordChanges(orm, id, at, changed);
  if (isListedBy(given)) {
    await countListed(orm, after, 1);
    await countListed(orm, before, -1);
    await dropUnusedTags(orm, accountId);
  }
  if (isAmong(changed, ROUTED)) await scheduleRouting(orm, after, new Date(at.getTime() - MOMENT_MS));
  const isOpened = isAmong(changed, OPENED) || (after.campaign !== null && isAmong(changed, NAMED));
  if (isOpened) await announceChanges(orm, [before]);
  const details = { changed: changed.map(({ field }) => field) };
  await recordEvents(orm, accountId, [{ type: 'code.updated', codeId: id, at, details }]);
  return true;
}

/** An end after a number of visits would never come without counting them. What a code has already may stay. */
function requireCountedEnd(before: Kept, after: Kept): void {
  const visitsOf = ({ routing }: Kept) => routing?.end?.visits ?? null;
  if (after.isCounted || visitsOf(after) === null) return;
  if (visitsOf(after) !== visitsOf(before)) throw invalidField('routing/end/visits', 'end_uncounted');
  if (before.isCounted) throw invalidField('counted', 'counted_for_end');
}

/** Refuses to stop counting a code whose image holds its content: nobody can count how often it is used. */
export function requireCountable(type: CodeType): void {
  if (!isDynamic(type)) throw invalidField('counted', 'counted_in_image');
}

/** The `ETag` of a code: what can be changed of it, not what is counted. */
export function versionOf(code: Kept): string {
  return versionTag([textsOf(code), code.updatedAt.getTime()]);
}

/**
 * Locks a code for a change, in a transaction, if a request came with `If-Match` (RFC 9110, section 13.1.1). Throws
 * `precondition_failed` if the code is not, or no longer, as its sender has read it.
 */
export async function requireVersion(
  orm: Orm,
  { accountId, id }: { accountId: string; id: string },
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  await lockOwner(orm, accountId);
  const code = await lockCode(orm, accountId, id);
  if (!code || !isExpected(ifMatch, versionOf(code))) throw new ApiError('precondition_failed');
}

async function lockCode(orm: Orm, accountId: string, id: string): Promise<Kept | null> {
  const [locked] = await orm
    .select({ code: codes, tags: tagLabels, logoName: logos.name })
    .from(codes)
    .leftJoin(logos, eq(logos.id, codes.logoId))
    .where(and(eq(codes.id, id), eq(codes.accountId, accountId), isNull(codes.deletedAt)))
    .for('update', { of: codes });
  return locked ? { ...locked.code, tags: locked.tags, logoName: locked.logoName } : null;
}

function isAmong(changed: readonly { field: string }[], fields: readonly string[]): boolean {
  return changed.some(({ field }) => fields.includes(field));
}

function definedOf<T extends object>(values: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The values recorded in the history of a code. */
function textsOf(code: Kept) {
  return [
    ['content', displayedContent(code)],
    ['subject', code.subject],
    ['body', code.body],
    ['visibility', code.visibility],
    ['name', code.name ?? ''],
    ['tags', code.tags.join(', ')],
    ['archived', String(code.archivedAt !== null)],
    ['counted', String(code.isCounted)],
    ['watched', String(code.isWatched)],
    ['style', styleText(code.style)],
    ['logo', logoText(code)],
    ...routingTexts(code.routing),
    ['campaign', campaignText(code.campaign)],
  ] as const;
}
