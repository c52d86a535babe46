import type { Context } from 'hono';
import type { z } from 'zod';
import {
  cancelContract,
  decideDeclaration,
  decideOwnDeclaration,
  readDeclaration,
  requestMoneyBack,
  withdrawContract,
} from '#contract/contract-end';
import { emailKey, MAILS_PER_MAILBOX } from '#host/accounts/account-limits';
import { hashToken } from '#host/accounts/mail-tokens';
import { type Authenticate, type Caller, findCaller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { addHours } from '#host/subscriptions/calendar';
import { refundDates } from '#host/subscriptions/charge/refunds';
import { findContract, findSubscription } from '#host/subscriptions/contract/store';
import { DECLARATIONS_PER_EMAIL, DECLARATIONS_PER_IP, MAILED_LINKS_PER_IP } from '#host/subscriptions/limits';
import { declare } from './declare';
import { type DeclarationKind, type DeclarationRow, findDeclaration, findDeclarationByToken } from './store';
import { endWaiting } from './waiting';
import { findRefundable } from './withdrawal';

interface Input {
  body: z.output<typeof cancelContract.body>;
  clientIp: string;
  context: Context;
}

/** All declarations take two steps, and give the same response to everyone who is not signed in. */
export function mountContractEnd({ mount }: Router, deps: Deps, authenticate: Authenticate): void {
  mount(cancelContract, (input) => handleDeclaration('cancel', input));
  mount(withdrawContract, (input) => handleDeclaration('withdraw', input));
  mount(requestMoneyBack, (input) => handleDeclaration('money_back', input));

  async function handleDeclaration(kind: DeclarationKind, input: Input) {
    const { body, clientIp } = input;
    const now = deps.clock.now();
    const { name, email, reference, confirmed } = body;
    const echoed = { name, email, reference };
    await consumeRateLimit(deps.db.orm, DECLARATIONS_PER_IP, clientIp, now);
    if (!confirmed) {
      return {
        status: 'success' as const,
        message: 'declaration_checked' as const,
        data: { ...echoed, receivedAt: null, refund: null },
      };
    }
    const caller = await findCaller(input.context, authenticate);
    // Strangers must not use up the owner's declarations, so the owner's are not counted.
    if (!isOwn(caller, email)) {
      await consumeRateLimit(deps.db.orm, DECLARATIONS_PER_EMAIL, emailKey(email), now);
      await consumeRateLimit(deps.db.orm, MAILS_PER_MAILBOX, emailKey(email), now);
    }
    const refund = kind === 'cancel' ? null : await refundOf(body.email, caller, now);
    const receivedAt = await declare(
      deps,
      { kind, body, clientIp, callerId: caller?.accountId ?? null },
      now,
    );
    deps.log.info({ audit: `contract_${kind}_declared`, clientIp }, 'audit');
    return {
      status: 'success' as const,
      message: 'declaration_received' as const,
      data: { ...echoed, receivedAt: receivedAt.toISOString(), refund },
    };
  }

  /**
   * Only the signed-in customer is told the amount, and the dates of the right that applies; everyone else gets the
   * widest dates.
   */
  async function refundOf(email: string, caller: Caller | null, now: Date) {
    const subscription =
      caller && isOwn(caller, email) ? await findSubscription(deps.db.orm, caller.accountId) : null;
    if (!subscription) {
      // The declaration may have to wait for the owner of the contract first.
      const latestStart = addHours(now, deps.settings.plans.objectionHours);
      const from = refundDates(deps, null, now).expectedFrom.toISOString();
      const until = refundDates(deps, null, latestStart).expectedUntil.toISOString();
      return { from, until, amountCents: null };
    }
    const { isOpen, amountCents, latest } = await findRefundable(deps.db.orm, deps, subscription, now);
    const { expectedFrom, expectedUntil } = refundDates(deps, latest, now);
    return isOpen
      ? { from: expectedFrom.toISOString(), until: expectedUntil.toISOString(), amountCents }
      : null;
  }
}

function isOwn(caller: Caller | null, email: string): boolean {
  return caller?.email.toLowerCase() === email.toLowerCase();
}

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
