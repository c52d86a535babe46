import type { Context } from 'hono';
import type { z } from 'zod';
import { cancelContract, requestMoneyBack, withdrawContract } from '#contract/contract-end';
import { emailKey, MAILS_PER_MAILBOX } from '#host/accounts/account-limits';
import type { Authenticate, Caller } from '#host/http/caller';
import { findCaller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { addDays, addHours } from './calendar';
import { declare } from './declarations';
import type { DeclarationKind } from './declarations.store';
import { DECLARATIONS_PER_EMAIL, DECLARATIONS_PER_IP } from './order-limits';
import { REPAYMENT_DAYS, refundDates } from './refunds';
import { findSubscription } from './subscriptions.store';
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
    const refund = kind === 'cancel' ? null : await refundOf(kind, body.email, caller, now);
    const receivedAt = await declare(deps, { kind, body, callerId: caller?.accountId ?? null }, now);
    deps.log.info({ audit: `contract_${kind}_declared`, clientIp }, 'audit');
    return {
      status: 'success' as const,
      message: 'declaration_received' as const,
      data: { ...echoed, receivedAt: receivedAt.toISOString(), refund },
    };
  }

  /** Only the signed-in customer is told the amount; everyone else gets the same dates. */
  async function refundOf(kind: 'withdraw' | 'money_back', email: string, caller: Caller | null, now: Date) {
    const latest = kind === 'withdraw' ? addDays(now, REPAYMENT_DAYS) : null;
    const subscription =
      caller && isOwn(caller, email) ? await findSubscription(deps.db.orm, caller.accountId) : null;
    const { expectedFrom, expectedUntil } = refundDates(deps, latest, now);
    const from = expectedFrom.toISOString();
    if (!subscription) {
      // The declaration may have to wait for the owner of the contract first.
      const latestStart = addHours(now, deps.settings.plans.objectionHours);
      const until = refundDates(deps, latest, latestStart).expectedUntil.toISOString();
      return { from, until, amountCents: null };
    }
    const { isOpen, amountCents } = await findRefundable(deps.db.orm, deps, subscription, now);
    return isOpen ? { from, until: expectedUntil.toISOString(), amountCents } : null;
  }
}

function isOwn(caller: Caller | null, email: string): boolean {
  return caller?.email.toLowerCase() === email.toLowerCase();
}
