import { and, eq, isNull } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { onboard } from '#contract/recovery';
import { createFromDraft } from '#host/codes/codes.create';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { LINK_USE_PER_ACCOUNT } from './account-limits';
import type { AccountRow } from './accounts.store';
import { consumeAttempt } from './attempts';
import { audit } from './audit';
import { findCarriedDraft, useMailToken } from './mail-tokens';
import { requireGoodPassword } from './passwords';
import { readLink } from './read-link';

type Finished = Pick<AccountRow, 'id' | 'email' | 'locale' | 'roles' | 'passwordHash'>;

/**
 * Gives the account behind an onboarding link its name, its password and the design kept before buying as its first
 * code. Refuses the field `token` with `token_unknown`, `token_used` or `token_expired`.
 */
export async function setUpAccount(
  deps: Deps,
  { log, clientIp }: { log: Logger; clientIp: string },
  { token, firstName, lastName, password, locale }: z.output<typeof onboard.body>,
): Promise<Finished> {
  const { db, clock } = deps;
  const { link, account } = await readLink(deps, { log, clientIp }, token, 'onboarding');
  const who = { account: account.id, clientIp };
  await consumeAttempt(deps, LINK_USE_PER_ACCOUNT, account.id, { log, ...who });
  await requireGoodPassword({ ...deps, log }, 'password', password, account.email);
  const passwordHash = await deps.passwords.hash(password);
  const finished = await db.orm.transaction(async (transaction) => {
    const now = clock.now();
    await useMailToken(transaction, link.id, now);
    const values = { firstName, lastName, passwordHash, ...(locale && { locale }) };
    const set = await finishAccount(transaction, account.id, values);
    if (link.draftId) await createFromDraft(transaction, deps, set.id, link.draftId, now);
    return set;
  });
  audit(log, 'onboarded', who);
  return finished;
}

/** Refuses an account that got a password meanwhile. */
async function finishAccount(orm: Orm, accountId: string, values: Partial<AccountRow>): Promise<Finished> {
  const [account] = await orm
    .update(accounts)
    .set(values)
    .where(and(eq(accounts.id, accountId), isNull(accounts.passwordHash), isNull(accounts.deletedAt)))
    .returning({
      id: accounts.id,
      email: accounts.email,
      locale: accounts.locale,
      roles: accounts.roles,
      passwordHash: accounts.passwordHash,
    });
  if (!account) throw invalidField('token', 'token_used');
  return account;
}

/**
 * Makes the design that the newest onboarding link carries a code of its account, for whoever proves the address in
 * another way than by that link; answers the code's id, or null where there is none to make. The link stays good for
 * setting names and a password.
 */
export async function createCarriedCode(
  orm: Orm,
  deps: Deps,
  accountId: string,
  now: Date,
): Promise<string | null> {
  const draftId = await findCarriedDraft(orm, accountId);
  return draftId && createFromDraft(orm, deps, accountId, draftId, now);
}
