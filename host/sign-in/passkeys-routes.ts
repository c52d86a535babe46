import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import {
  addPasskey,
  removePasskey,
  removePasskeys,
  renamePasskey as renameCall,
  startPasskey,
} from '#contract/passkeys';
import { notifyOwner } from '#host/accounts/activities';
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
import { getAccount, hasWayIn } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import type { RateLimit } from '#host/http/rate-limit';
import { describeDevice } from './devices';
import { lockOwnAccount, requireCallerIsOwner } from './reauthentication';
import { loadWebAuthn, makeChallenge, relyingPartyOf, verifyChallenged } from './webauthn';

const MAX_PASSKEYS = 20;
const PER_ACCOUNT: RateLimit = { name: 'passkey-add', points: 20, windowSeconds: 60 * 60 };

const told = ({ name }: PasskeyRow) => ({ name, path: '/user/settings/passkeys' });

export function mountPasskeys({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const { id: rpID, origin } = relyingPartyOf(settings.publicUrl);

  mount(startPasskey, async ({ caller, body, log, clientIp }) => {
    const account = await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
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
    const account = await getAccount(db.orm, caller.accountId);
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
      await notifyOwner(transaction, deps, owner, { ...told(row), change: 'passkey_added' }, clock.now());
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
    const row = await findPasskey(db.orm, caller.accountId, params.id);
    if (!row) throw new ApiError('not_found');
    const account = await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    await db.orm.transaction(async (transaction) => {
      // The lock lets concurrent requests remove only one of the last two sign-in methods.
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      if (!(await dropPasskey(transaction, owner.id, row.id))) return;
      if (!(await hasWayIn(transaction, owner))) throw new ApiError('conflict');
      await notifyOwner(transaction, deps, owner, { ...told(row), change: 'passkey_removed' }, clock.now());
    });
    audit(log, 'passkey_removed', { account: account.id, clientIp });
    return done('passkey_removed');
  });

  mount(removePasskeys, async ({ caller, body, log, clientIp }) => {
    const account = await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      for (const row of await listPasskeys(transaction, owner.id)) {
        await dropPasskey(transaction, owner.id, row.id);
        await notifyOwner(transaction, deps, owner, { ...told(row), change: 'passkey_removed' }, clock.now());
      }
      if (!(await hasWayIn(transaction, owner))) throw new ApiError('conflict');
    });
    audit(log, 'passkey_removed', { account: account.id, clientIp, reason: 'all' });
    return done('passkeys_removed');
  });
}
