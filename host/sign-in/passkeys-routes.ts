import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { done } from '#contract/call';
import {
  addPasskey,
  removePasskey,
  removePasskeys,
  renamePasskey as renameCall,
  startPasskey,
} from '#contract/passkeys';
import type { OwnerProof } from '#contract/second-factor';
import { recordActivity } from '#host/accounts/activities';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import {
  dropPasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  presentPasskey,
  renamePasskey,
} from '#host/accounts/passkeys';
import { type AccountRow, findAccount, hasWayIn } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import type { RateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { describeDevice } from './devices';
import { lockOwnAccount, requireOwner } from './reauthentication';
import { loadWebAuthn, makeChallenge, relyingPartyOf, verifyChallenged } from './webauthn';

const MAX_PASSKEYS = 20;
const PER_ACCOUNT: RateLimit = { name: 'passkey-add', points: 20, windowSeconds: 60 * 60 };

const proofOf = ({ currentPassword, code }: z.output<typeof OwnerProof>) =>
  ({ field: 'currentPassword', missing: 'password_required', password: currentPassword, code }) as const;

export function mountPasskeys({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const { id: rpID, origin } = relyingPartyOf(settings.publicUrl);

  mount(startPasskey, async ({ caller, body, log, clientIp }) => {
    const account = await accountOf(caller);
    await requireOwner(deps, account, { caller, log, clientIp }, proofOf(body));
    const known = await listPasskeys(db.orm, account.id);
    if (known.length >= MAX_PASSKEYS) throw new ApiError('conflict');
    const { generateRegistrationOptions } = await loadWebAuthn();
    const options = await generateRegistrationOptions({
      rpName: settings.appName,
      rpID,
      userName: account.email,
      userDisplayName: `${account.firstName} ${account.lastName}`.trim(),
      userID: Uint8Array.from(Buffer.from(account.id.replaceAll('-', ''), 'hex')),
      challenge: makeChallenge(deps, caller.sessionId),
      timeout: 5 * 60_000,
      excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { data: { ...options } };
  });

  mount(addPasskey, async ({ caller, body, log, clientIp, context }) => {
    const account = await accountOf(caller);
    await consumeAttempt(deps, PER_ACCOUNT, account.id, { log, account: account.id, clientIp });
    const { credential } = body;
    const { transports, ...attested } = credential.response;
    const { verifyRegistrationResponse } = await loadWebAuthn();
    const verified = await verifyChallenged({ ...deps, log }, caller.sessionId, (expectedChallenge) =>
      verifyRegistrationResponse({
        response: { ...credential, response: attested, clientExtensionResults: {} },
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
      }),
    );
    const registered = verified?.verified ? verified.registrationInfo.credential : null;
    if (!registered) throw invalidField('credential', 'passkey_refused');
    const { browser, system } = describeDevice(context.req.header('user-agent') ?? '');
    const row: PasskeyRow = {
      id: randomUUID(),
      accountId: account.id,
      credentialId: registered.id,
      publicKey: registered.publicKey,
      counter: registered.counter,
      transports,
      name: body.name || [browser, system].filter(Boolean).join(' · ') || settings.appName,
      createdAt: clock.now(),
      lastUsedAt: null,
    };
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      if ((await listPasskeys(transaction, owner.id)).length >= MAX_PASSKEYS) throw new ApiError('conflict');
      if (!(await insertPasskey(transaction, row))) throw invalidField('credential', 'passkey_refused');
      await notifyOwner(transaction, owner, 'passkey_added', row);
    });
    audit(log, 'passkey_added', { account: account.id, clientIp });
    return { data: presentPasskey(row) };
  });

  mount(renameCall, async ({ caller, params, body }) => {
    const isDone = await renamePasskey(db.orm, caller.accountId, params.id, body.name);
    if (!isDone) throw new ApiError('not_found');
    return done('passkey_renamed');
  });

  mount(removePasskey, async ({ caller, params, body, log, clientIp }) => {
    const account = await accountOf(caller);
    const row = await findPasskey(db.orm, account.id, params.id);
    if (!row) throw new ApiError('not_found');
    await requireOwner(deps, account, { caller, log, clientIp }, proofOf(body));
    await db.orm.transaction(async (transaction) => {
      // The lock lets concurrent requests remove only one of the last two sign-in methods.
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      if (!(await dropPasskey(transaction, owner.id, row.id))) return;
      if (!(await hasWayIn(transaction, owner))) throw new ApiError('conflict');
      await notifyOwner(transaction, owner, 'passkey_removed', row);
    });
    audit(log, 'passkey_removed', { account: account.id, clientIp });
    return done('passkey_removed');
  });

  mount(removePasskeys, async ({ caller, body, log, clientIp }) => {
    const account = await accountOf(caller);
    await requireOwner(deps, account, { caller, log, clientIp }, proofOf(body));
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      for (const row of await listPasskeys(transaction, owner.id)) {
        await dropPasskey(transaction, owner.id, row.id);
        await notifyOwner(transaction, owner, 'passkey_removed', row);
      }
      if (!(await hasWayIn(transaction, owner))) throw new ApiError('conflict');
    });
    audit(log, 'passkey_removed', { account: account.id, clientIp, reason: 'all' });
    return done('passkeys_removed');
  });

  async function accountOf(caller: Caller): Promise<AccountRow> {
    const account = await findAccount(db.orm, caller.accountId);
    if (!account) throw new ApiError('unauthenticated');
    return account;
  }

  /** Notifies the owner by mail and in the recent activities of the dashboard. */
  async function notifyOwner(
    orm: Orm,
    { id, email: to, locale }: AccountRow,
    change: 'passkey_added' | 'passkey_removed',
    { name }: PasskeyRow,
  ): Promise<void> {
    const now = clock.now();
    await recordActivity(orm, id, change, now);
    const values = { name, actionUrl: `${settings.publicUrl}/user/settings/passkeys` };
    await queueMail(orm, { to, locale, template: `account-mail.${change}`, values }, now);
  }
}
