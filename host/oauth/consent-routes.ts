import { randomUUID } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { GRANTS_PER_ACCOUNT } from '#contract/api-keys';
import { answerAuthorization, getAuthorization } from '#contract/authorizations';
import { notifyOwner } from '#host/accounts/activities';
import { insertKey, listKeys, type Resource } from '#host/accounts/api-keys';
import { audit } from '#host/accounts/audit';
import { consumeRecord } from '#host/accounts/oauth-records';
import { findTag } from '#host/codes/code/tags';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { lockOwnAccount, requireCallerIsOwner } from '#host/sign-in/reauthentication';
import { showClient } from './clients';
import { pairFor } from './exchange';
import { REQUEST_COOKIE, resourcesOf } from './provider';
import { LIFE_SECONDS } from './records';

type Pair = ReturnType<typeof pairFor>;

/** A request of a program, as stored, with what it says. */
interface Found {
  provider: Provider;
  pair: Pair;
  uid: string;
  clientId: string;
  client: ReturnType<typeof showClient>;
  resource: Resource;
  permission: 'read' | 'change';
  returnTo: string;
  isAnswered: boolean;
}

interface Choice {
  permission: 'read' | 'change';
  tag: string | null;
}

/** Shows a user who asks for access, and takes the answer. */
export function mountConsent({ mount }: Router, deps: Deps, load: () => Promise<Provider>): void {
  const { db, clock, settings } = deps;
  const origin = new URL(settings.publicUrl);
  const cookie = origin.protocol === 'https:' ? `__Secure-${REQUEST_COOKIE}` : REQUEST_COOKIE;

  mount(getAuthorization, async ({ caller, query }) => {
    const { client, resource, permission, returnTo, isAnswered } = await find(query.request, query.proof);
    const { answersTo, ...described } = client;
    const state = { mayAllow: caller.isSubscribed, returnTo: isAnswered ? returnTo : null };
    return { data: { client: described, answersTo, resource, permission, ...state } };
  });

  mount(answerAuthorization, async ({ caller, body, log, clientIp }) => {
    const found = await find(body.request, body.proof);
    if (found.isAnswered) return { data: { returnTo: found.returnTo } };
    const who = { account: caller.accountId, clientIp };
    if (!body.allow) {
      await finish(found, { error: 'access_denied', error_description: 'the user refused' });
      audit(log, 'grant_refused', who);
      return { data: { returnTo: found.returnTo } };
    }
    if (!caller.isSubscribed) throw new ApiError('subscription_required');
    await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    const known = body.tag === null ? null : await findTag(db.orm, caller.accountId, body.tag);
    const permission = found.permission === 'read' ? 'read' : body.permission;
    const grantId = await makeGrant(caller, found, { permission, tag: known?.label ?? body.tag });
    // Answered by another request at the same time.
    if (grantId === null) return { data: { returnTo: found.returnTo } };
    const grant = new found.provider.Grant({ accountId: caller.accountId, clientId: found.clientId });
    Object.assign(grant, { jti: grantId });
    const scope = permission === 'read' ? 'read' : 'read change';
    grant.addResourceScope(resourcesOf(settings.publicUrl)[found.resource], scope);
    await grant.save();
    const login = { accountId: caller.accountId, remember: false };
    await finish(found, { login, consent: { grantId }, select_account: {} });
    audit(log, 'grant_made', who);
    return { data: { returnTo: found.returnTo } };
  });

  /** The request, if it comes from the browser that began it; throws `not_found`. */
  async function find(uid: string, proof: string): Promise<Found> {
    const provider = await load();
    const pair = pairFor({
      method: 'GET',
      url: '/',
      headers: { host: origin.host, cookie: `${cookie}=${uid}; ${cookie}.sig=${proof}` },
    });
    const request = await provider.interactionDetails(pair.request, pair.response).catch(() => null);
    const { client_id, redirect_uri, resource, scope } = (request?.params ?? {}) as Record<string, string>;
    const client = request && client_id && (await provider.Client.find(client_id));
    if (!request || !client || !client_id || !redirect_uri) throw new ApiError('not_found');
    const { api } = resourcesOf(settings.publicUrl);
    return {
      provider,
      pair,
      uid,
      clientId: client_id,
      client: showClient(client_id, client.clientName, redirect_uri),
      resource: resource === api ? 'api' : 'mcp',
      permission: scope?.split(' ').includes('change') ? 'change' : 'read',
      returnTo: new URL(request.returnTo).pathname,
      isAnswered: request.result !== undefined,
    };
  }

  async function finish({ provider, pair }: Found, result: Parameters<Provider['interactionResult']>[2]) {
    await provider.interactionResult(pair.request, pair.response, result, { mergeWithLastSubmission: false });
  }

  /** Stores the grant beside the keys, where it waits for the client to fetch its tokens; null if it is answered. */
  async function makeGrant(
    caller: Caller,
    found: Found,
    { permission, tag }: Choice,
  ): Promise<string | null> {
    const now = clock.now();
    const id = randomUUID();
    return db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, now);
      if (!(await consumeRecord(transaction, 'Interaction', found.uid, now))) return null;
      const others = (await listKeys(transaction, owner.id)).filter(
        ({ clientId, expiresAt }) => clientId !== null && expiresAt !== null && expiresAt > now,
      );
      if (others.length >= GRANTS_PER_ACCOUNT) throw new ApiError('conflict');
      await insertKey(transaction, {
        id,
        accountId: owner.id,
        name: found.client.name,
        permission,
        tag,
        origins: [],
        // Not a hash of anything: a grant is found by its tokens.
        hash: `grant ${id}`,
        lastFour: '',
        earlierHash: null,
        earlierLastFour: null,
        earlierExpiresAt: null,
        createdAt: now,
        expiresAt: new Date(now.getTime() + LIFE_SECONDS.Interaction * 1000),
        days: null,
        lastUsedAt: null,
        formKey: null,
        clientId: found.clientId,
        clientHost: found.client.host ?? found.client.answersTo,
        resource: found.resource,
      });
      const { name } = found.client;
      await notifyOwner(
        transaction,
        deps,
        owner,
        { change: 'grant_made', name, path: '/user/settings/keys' },
        now,
      );
      return id;
    });
  }
}
