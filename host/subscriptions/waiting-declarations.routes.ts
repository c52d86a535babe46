import { decideDeclaration, decideOwnDeclaration, readDeclaration } from '#contract/waiting-declarations';
import { hashToken } from '#host/accounts/mail-tokens';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { type DeclarationRow, findDeclaration, findDeclarationByToken } from './declarations.store';
import { MAILED_LINKS_PER_IP } from './order-limits';
import { findContract } from './subscriptions.store';
import { endWaiting } from './waiting-declarations';

/** Lets the owner of a contract confirm or undo a waiting declaration: by the mailed link, or signed in. */
export function mountWaitingDeclarations({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;

  mount(readDeclaration, async ({ body, clientIp }) => {
    const { kind, receivedAt, effectiveAt, subscriptionId, outcome } = await findByLink(body.token, clientIp);
    const contract = subscriptionId ? await findContract(db.orm, subscriptionId) : null;
    return {
      data: {
        kind,
        receivedAt: receivedAt.toISOString(),
        effectiveAt: (effectiveAt ?? receivedAt).toISOString(),
        plan: contract?.orderId ? (contract.plan as 'basic_monthly' | 'basic_yearly') : null,
        state: stateOf(outcome),
      },
    };
  });

  mount(decideDeclaration, async ({ body, clientIp, log }) => {
    const { id } = await findByLink(body.token, clientIp);
    const resolution = { decision: body.decision, proof: 'link' as const };
    const decided = await endWaiting(deps, id, resolution, clock.now());
    log.info({ audit: `declaration_${body.decision}`, declaration: id, by: 'link', clientIp }, 'audit');
    return { data: { state: stateOf(decided?.outcome) } };
  });

  mount(decideOwnDeclaration, async ({ params, body, caller, clientIp, log }) => {
    const declaration = await findDeclaration(db.orm, params.id);
    const contract = declaration?.subscriptionId
      ? await findContract(db.orm, declaration.subscriptionId)
      : null;
    if (contract?.accountId !== caller.accountId) throw new ApiError('not_found');
    const resolution = { decision: body.decision, proof: 'session' as const };
    const decided = await endWaiting(deps, params.id, resolution, clock.now());
    const logFields = { declaration: params.id, by: 'session', account: caller.accountId, clientIp };
    log.info({ audit: `declaration_${body.decision}`, ...logFields }, 'audit');
    return { data: { state: stateOf(decided?.outcome) } };
  });

  async function findByLink(token: string, clientIp: string): Promise<DeclarationRow> {
    await consumeRateLimit(db.orm, MAILED_LINKS_PER_IP, clientIp, clock.now());
    const found = await findDeclarationByToken(db.orm, hashToken(token));
    if (!found) throw invalidField('token', 'token_unknown');
    return found;
  }
}

function stateOf(outcome: DeclarationRow['outcome'] | undefined) {
  if (outcome === 'waiting' || outcome === 'undone' || outcome === 'done') return outcome;
  return 'over' as const;
}
