import { and, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { DestinationFailure } from '#contract/codes';
import { REDIRECTED_TYPES } from '#contract/contents/contents';
import { displayedTarget } from '#host/codes/contents/contents';
import { routingState } from '#host/codes/routing/routing';
import { accounts } from '#host/db/accounts.tables';
import { codes } from '#host/db/codes.tables';

/** The addresses of its rules, schedule and end; an index finds codes by them. */
const TARGETS = sql`jsonb_path_query_array(${codes.routing}, '$.**.target')`;
const END_TARGET = sql`${codes.routing}->'end'->>'target'`;
const IS_REDIRECTED = inArray(codes.type, REDIRECTED_TYPES);

/** Every address that a code may lead to, `null` among them. */
const ALL_ADDRESSES = sql`(array(select jsonb_array_elements_text(${TARGETS})) || case when ${IS_REDIRECTED} then ${codes.content} end)`;

/** The addresses that it may lead to from now on: only that of its end once it has ended. */
export function addressesAt(now: Date): SQL {
  return sql`case when ${isNotEnded(now)} then ${ALL_ADDRESSES} else array[${END_TARGET}] end`;
}

/** Whether a code may lead to this destination from now on. */
export function leadsTo({ key, address }: { key: string; address: string }, now: Date): SQL | undefined {
  // The address is compared too: different ones may share a key on purpose.
  const byContent = and(sql`md5(${codes.content}) = ${key}`, eq(codes.content, address), IS_REDIRECTED);
  const byTarget = and(isNotNull(codes.routing), sql`${TARGETS} @> to_jsonb(${address}::text)`);
  const isLed = or(and(byContent, isNotEnded(now)), and(byTarget, isNotEnded(now)));
  return or(isLed, and(byTarget, sql`${END_TARGET} = ${address}`));
}

/** Codes whose destinations are of interest: people get there by them, and their owner wants to know. */
export function isOfInterest(now: Date): SQL | undefined {
  return and(
    codes.isWatched,
    eq(codes.visibility, 'public'),
    isNull(codes.deletedAt),
    isNull(codes.archivedAt),
    isNull(codes.blockedAt),
    isNotPaused,
    or(isNotEnded(now), sql`${END_TARGET} is not null`),
    sql`exists (select from ${accounts} where ${accounts.id} = ${codes.accountId} and ${accounts.deletedAt} is null)`,
  );
}

const isNotPaused = sql`coalesce(${codes.routing}->'pause', 'null') = 'null'`;

function isNotEnded(now: Date): SQL {
  const { routing } = codes;
  return sql`(${routing}->'end'->>'reachedAt' is null
    and coalesce((${routing}->'end'->>'at')::timestamptz > ${now.toISOString()}::timestamptz, true))`;
}

/** Whether its owner lets a code lead somewhere: it is neither paused nor over. */
export function isNotClosed(now: Date): SQL {
  return sql`${isNotPaused} and ${isNotEnded(now)}`;
}

/** A destination that is known to fail. */
type Failing = Omit<DestinationFailure, 'since'> & { address: string; since: string };

/** Of the row of a code: all destinations that are known to fail, whether it leads there now or not. */
export const FAILING = sql<Failing[] | null>`(
  select json_agg(json_build_object('address', d.address, 'problem', d.problem, 'status', d.status,
    'movedTo', d.moved_to, 'since', d.failing_since, 'checkedAt', d.checked_at) order by d.confirmed_at, d.key)
  from destinations d
  where d.confirmed_at is not null and d.address = any (${ALL_ADDRESSES})
    and d.key = any (array(select md5(one) from unnest(${ALL_ADDRESSES}) one)))`;

/** Ids of the codes of an account whose destinations are known to fail. */
export function failingIds(accountId: string, now: Date): SQL {
  return sql`select ${codes.id} from ${codes}, unnest(${addressesAt(now)}) as one(address)
    join destinations d on d.key = md5(one.address) and d.address = one.address and d.confirmed_at is not null
    where ${codes.accountId} = ${accountId} and ${isOfInterest(now)}`;
}

type Row = Pick<
  typeof codes.$inferSelect,
  'isWatched' | 'visibility' | 'archivedAt' | 'blockedAt' | 'routing' | 'content'
> & { failing: Failing[] | null };

/** What the owner of a code is told about its destinations: that of its content first. */
export function failureOf(
  { failing, content, isWatched, visibility, archivedAt, blockedAt, routing }: Row,
  now: Date,
): DestinationFailure | null {
  const state = routingState(routing, now);
  const isOpen = visibility === 'public' && !archivedAt && !blockedAt && !state?.isPaused;
  if (!failing || !isWatched || !isOpen) return null;
  const target = routing?.end?.target;
  const failure = state?.hasEnded
    ? failing.find(({ address }) => address === target)
    : (failing.find(({ address }) => address === content) ?? failing[0]);
  if (!failure) return null;
  const { address, since, checkedAt, ...seen } = failure;
  return {
    ...seen,
    address: displayedTarget(address),
    since: new Date(since).toISOString(),
    checkedAt: new Date(checkedAt).toISOString(),
  };
}
