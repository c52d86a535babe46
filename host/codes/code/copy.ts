import { readLinkRules } from '#host/codes/blocks/blocking';
import { displayedContent, displayedTarget, readContent, readTarget } from '#host/codes/contents/contents';
import { CREATIONS_PER_ACCOUNT } from '#host/codes/limits';
import { targetsOf } from '#host/codes/routing/routing';
import type { StoredRouting } from '#host/db/codes.tables';
import { tried } from '#host/db/tried';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField, type MessageCode } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { createCodes } from './create';
import { type CodeRow, findCodeByKey, requireCode } from './store';

interface Wanted {
  name?: string | null | undefined;
  key?: string | undefined;
  isTrial: boolean;
  once: string | null;
}

/**
 * Creates a code with everything that another one has, apart from its address, its history and its visits; returns it, which
 * is the first copy if the form is posted again.
 */
export async function copyCode(
  deps: Deps,
  accountId: string,
  id: string,
  { name, key, isTrial, once }: Wanted,
): Promise<CodeRow> {
  const { db, clock, settings } = deps;
  const now = clock.now();
  const original = await requireCode(db.orm, accountId, id);
  const formKey = once ?? (key ? formKeyOf(key, { copyOf: id }) : null);
  const earlier = formKey && (await findCodeByKey(db.orm, accountId, formKey));
  if (earlier) return requireCode(db.orm, accountId, earlier);
  // The rules may have changed since: what could not be created is not copied either.
  const texts = { content: displayedContent(original), subject: original.subject, body: original.body };
  const rules = await readLinkRules(db.orm, settings);
  const read = readContent(original.type, texts, rules);
  if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
  const problems = targetsOf(original.routing).flatMap((target): MessageCode[] => {
    const checked = readTarget(displayedTarget(target), rules);
    return 'problems' in checked ? checked.problems : [];
  });
  if (problems[0]) throw invalidField('routing', problems[0]);
  await consumeRateLimit(db.orm, limitFor(CREATIONS_PER_ACCOUNT, isTrial), accountId, now);
  const {
    id: _id,
    slug: _slug,
    number: _number,
    tagIds: _tagIds,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    archivedAt: _archivedAt,
    blockedAt: _blockedAt,
    deletedAt: _deletedAt,
    eraseAt: _eraseAt,
    writtenIn: _writtenIn,
    logoName: _logoName,
    scans: _scans,
    clicks: _clicks,
    lastAt: _lastAt,
    failing: _destination,
    ...carried
  } = original;
  const routing = carried.routing && withFreshEnd(carried.routing, carried.isCounted, now);
  const design = { ...carried, routing, ...(name && { name }), formKey };
  return tried(db.orm, isTrial, async (orm) => {
    const [created] = await createCodes(orm, deps, accountId, [design], { now });
    return requireCode(orm, accountId, created?.id ?? '');
  });
}

/** A copy begins without visits, and nothing has been said about its end. Without counting, that is none by visits. */
function withFreshEnd({ end, ...routing }: StoredRouting, isCounted: boolean, now: Date): StoredRouting {
  const visits = isCounted && end ? end.visits : null;
  if (!end || (end.at === null && visits === null)) return { ...routing, end: null };
  return { ...routing, end: { ...end, visits, setAt: now.toISOString(), reachedAt: null, noticedAt: null } };
}
