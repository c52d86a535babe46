import { createHash, randomUUID } from 'node:crypto';
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { DAY_MS, MINUTE_MS } from '#contract/time';
import { mailTokens } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { RateLimit } from '#host/http/rate-limit';
import { consumeAttempt } from './attempts';
import { audit } from './audit';
import { type AccountRow, findAccount, lockAccount } from './store';

export type Purpose = (typeof mailTokens.$inferSelect)['purpose'];
export type MailToken = typeof mailTokens.$inferSelect;

/** How long a link works, in milliseconds. */
export const TOKEN_LIFE_MS: Record<Purpose, number> = {
  onboarding: 7 * DAY_MS,
  reset: 30 * MINUTE_MS,
  email_change: DAY_MS,
};

/** How long an ended link is still distinguished from an unknown one. */
const REMEMBERED_MS = 90 * DAY_MS;

interface NewToken {
  accountId: string;
  purpose: Purpose;
  /** The address to be confirmed by an e-mail change. */
  email?: string;
  draftId?: string | null;
}

/**
 * Creates a link and invalidates earlier ones for the same purpose. Throws `unauthenticated` if the account was erased
 * in the meantime. Call it in a transaction.
 */
export async function makeMailToken(
  orm: Orm,
  random: (bytes: number) => Uint8Array,
  { accountId, purpose, email, draftId }: NewToken,
  now: Date,
): Promise<string> {
  // The lock serialises concurrent requests, so that there are never two valid links.
  if (!(await lockAccount(orm, accountId))) throw new ApiError('unauthenticated');
  await endMailTokens(orm, accountId, now, purpose);
  const token = Buffer.from(random(32)).toString('base64url');
  await orm.insert(mailTokens).values({
    id: randomUUID(),
    accountId,
    purpose,
    hash: hashToken(token),
    email: email ?? null,
    draftId: draftId ?? null,
    createdAt: now,
    expiresAt: linkExpiry(purpose, now),
  });
  return token;
}

/** When a link created now expires. */
export function linkExpiry(purpose: Purpose, now: Date): Date {
  return new Date(now.getTime() + TOKEN_LIFE_MS[purpose]);
}

/** Invalidates the links of an account, of one purpose or all. */
export async function endMailTokens(
  orm: Orm,
  accountId: string,
  now: Date,
  purpose?: Purpose,
): Promise<void> {
  await orm
    .update(mailTokens)
    .set({ expiresAt: now })
    .where(
      and(
        eq(mailTokens.accountId, accountId),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, now),
        purpose && eq(mailTokens.purpose, purpose),
      ),
    );
}

/** The valid link for a token. Refuses the field `token` with `token_unknown`, `token_used` or `token_expired`. */
async function getMailToken(orm: Orm, token: string, purpose: Purpose, now: Date): Promise<MailToken> {
  const found = await findMailToken(orm, hashToken(token), purpose);
  if (!found) throw invalidField('token', 'token_unknown');
  if (found.usedAt) throw invalidField('token', 'token_used');
  if (found.expiresAt <= now) throw invalidField('token', 'token_expired');
  return found;
}

export async function findMailToken(orm: Orm, hash: string, purpose: Purpose): Promise<MailToken | null> {
  const [found] = await orm
    .select()
    .from(mailTokens)
    .where(and(eq(mailTokens.hash, hash), eq(mailTokens.purpose, purpose)));
  return found ?? null;
}

/**
 * Uses up a link and returns its current account, locked; of two concurrent requests one gets `token_used`. A link that
 * ended after it was read is refused like in `getMailToken`. Call it first in the transaction of the link's action.
 */
export async function useMailToken(
  orm: Orm,
  { id, accountId }: Pick<MailToken, 'id' | 'accountId'>,
  now: Date,
): Promise<AccountRow> {
  const account = await lockAccount(orm, accountId);
  if (!account) throw invalidField('token', 'token_unknown');
  const used = await orm
    .update(mailTokens)
    .set({ usedAt: now })
    .where(and(eq(mailTokens.id, id), isNull(mailTokens.usedAt), gt(mailTokens.expiresAt, now)))
    .returning({ id: mailTokens.id });
  if (used.length > 0) return account;
  const [ended] = await orm
    .select({ usedAt: mailTokens.usedAt })
    .from(mailTokens)
    .where(eq(mailTokens.id, id));
  if (!ended) throw invalidField('token', 'token_unknown');
  throw invalidField('token', ended.usedAt ? 'token_used' : 'token_expired');
}

/** The design of the newest onboarding link of an account. */
export async function findOnboardingDraft(orm: Orm, accountId: string): Promise<string | null> {
  const [newest] = await orm
    .select({ draftId: mailTokens.draftId })
    .from(mailTokens)
    .where(and(eq(mailTokens.accountId, accountId), eq(mailTokens.purpose, 'onboarding')))
    .orderBy(sql`${mailTokens.createdAt} desc`)
    .limit(1);
  return newest?.draftId ?? null;
}

export async function dropOldMailTokens(orm: Orm, now: Date): Promise<void> {
  await orm.delete(mailTokens).where(lt(mailTokens.expiresAt, new Date(now.getTime() - REMEMBERED_MS)));
}

/** A plain hash is enough for 256 random bits (OWASP ASVS 5.0, 6.5.2). */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const PER_IP: RateLimit = { name: 'token-ip', points: 60, windowSeconds: 60 * 60 };

/**
 * A mailed link that is still valid, with its account; each attempt costs the client a point. Refuses the field `token`
 * with `token_unknown`, `token_used` or `token_expired`.
 */
export async function readLink(
  deps: Pick<Deps, 'db' | 'clock'>,
  { log, clientIp }: { log: Logger; clientIp: string },
  token: string,
  purpose: Purpose,
): Promise<{ link: MailToken; account: AccountRow }> {
  const { db, clock } = deps;
  await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
  try {
    const link = await getMailToken(db.orm, token, purpose, clock.now());
    const account = await findAccount(db.orm, link.accountId);
    if (!account) throw invalidField('token', 'token_unknown');
    return { link, account };
  } catch (error) {
    const reason = error instanceof ApiError ? error.fields?.token?.[0] : undefined;
    if (reason) audit(log, 'mail_token_refused', { clientIp, reason });
    throw error;
  }
}

/** How long a repeated post of a form gets the response of the first. */
const REPEAT_MS = 60_000;
const REPEAT_PER_ACCOUNT: RateLimit = { name: 'link-repeat', points: 10, windowSeconds: 60 };

export interface Click {
  token: string;
  purpose: Purpose;
  /** Whether the account is in the state that this click would leave it in. */
  isDone: (account: AccountRow, link: MailToken) => boolean | Promise<boolean>;
}

/**
 * Runs what a mailed link does. Without scripts, a double click posts a form twice, and the browser shows only the
 * second response: if that post changes nothing and comes within a minute, the result is the account as the first post
 * left it.
 */
export async function allowReplay<T>(
  deps: Pick<Deps, 'db' | 'clock'>,
  requester: { log: Logger; clientIp: string },
  click: Click,
  use: () => Promise<T>,
): Promise<T | AccountRow> {
  try {
    return await use();
  } catch (error) {
    const isUsed = error instanceof ApiError && error.fields?.token?.[0] === 'token_used';
    const account = isUsed ? await findJustDone(deps, requester, click) : null;
    if (!account) throw error;
    audit(requester.log, 'mail_token_repeated', { account: account.id, clientIp: requester.clientIp });
    return account;
  }
}

async function findJustDone(
  deps: Pick<Deps, 'db' | 'clock'>,
  { log, clientIp }: { log: Logger; clientIp: string },
  { token, purpose, isDone }: Click,
): Promise<AccountRow | null> {
  const { db, clock } = deps;
  const link = await findMailToken(db.orm, hashToken(token), purpose);
  if (!link?.usedAt || clock.now().getTime() - link.usedAt.getTime() > REPEAT_MS) return null;
  await consumeAttempt(deps, REPEAT_PER_ACCOUNT, link.accountId, { log, clientIp, account: link.accountId });
  const account = await findAccount(db.orm, link.accountId);
  return account && (await isDone(account, link)) ? account : null;
}

/** Shows that a click to set a password has taken effect: the account has this one. */
export function hasPassword({ passwords }: Pick<Deps, 'passwords'>, password: string, clientIp: string) {
  return (account: AccountRow) =>
    passwords.matches(password, account.passwordHash, clientOf(clientIp, account.id));
}
