import { and, eq, isNull } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { onboard } from '#contract/recovery';
import { LINK_USE_PER_ACCOUNT } from '#host/accounts/account-limits';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { findOnboardingDraft, readLink, useMailToken } from '#host/accounts/mail-tokens';
import { requireGoodPassword } from '#host/accounts/passwords';
import { type AccountRow, lockAccount } from '#host/accounts/store';
import { createFromDraft } from '#host/codes/code/create';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { setPassword } from './set-password';

/**
 * Gives the account behind an onboarding link its name and its password, and makes the design saved before the purchase
 * its first code. Refuses the field `token` with `token_unknown`, `token_used` or `token_expired`.
 */
export async function setUpAccount(
  deps: Deps,
  { log, clientIp }: { log: Logger; clientIp: string },
  { token, firstName, lastName, password, locale }: z.output<typeof onboard.body>,
): Promise<AccountRow> {
  const { db, clock } = deps;
  const { link, account } = await readLink(deps, { log, clientIp }, token, 'onboarding');
  const who = { account: account.id, clientIp };
  await consumeAttempt(deps, LINK_USE_PER_ACCOUNT, account.id, { log, ...who });
  await requireGoodPassword({ ...deps, log }, 'password', password, account.email);
  const passwordHash = await deps.passwords.hash(password, clientOf(clientIp, account.id));
  const finished = await db.orm.transaction(async (transaction) => {
    const now = clock.now();
    const owner = await useMailToken(transaction, link, now);
    const values = { firstName, lastName, passwordHash, ...(locale && { locale }) };
    const set = await finishAccount(transaction, account.id, values);
    // Somebody has signed in without a password.
    if (owner.lastLoginAt) await setPassword(transaction, deps, owner, { passwordHash }, now);
    if (link.draftId) await createFromDraft(transaction, deps, set.id, link.draftId, now);
    return set;
  });
  audit(log, 'onboarded', who);
  return finished;
}

/** Refuses an account that has got a password in the meantime. */
async function finishAccount(orm: Orm, accountId: string, values: Partial<AccountRow>): Promise<AccountRow> {
  const [account] = await orm
    .update(accounts)
    .set(values)
    .where(and(eq(accounts.id, accountId), isNull(accounts.passwordHash), isNull(accounts.deletedAt)))
    .returning();
  if (!account) throw invalidField('token', 'token_used');
  return account;
}

/**
 * Turns the design of the account's newest onboarding link into a code, for an owner who proved the address in some
 * other way; returns the code's id, or null if there is nothing to turn into one. The link stays valid for setting
 * names and a password.
 */
export async function createCodeFromOnboardingDraft(
  orm: Orm,
  deps: Deps,
  accountId: string,
  now: Date,
): Promise<string | null> {
  // Same lock order as with the link: the account before the design.
  if (!(await lockAccount(orm, accountId))) return null;
  const draftId = await findOnboardingDraft(orm, accountId);
  return draftId && createFromDraft(orm, deps, accountId, draftId, now);
}
