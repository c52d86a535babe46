import type { Context } from 'hono';
import type { z } from 'zod';
import { cancelContract, requestMoneyBack, withdrawContract } from '#contract/contract-end';
import { emailKey } from '#host/accounts/limits';
import { findCaller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Authenticate, Router } from '#host/http/mount';
import { takePoint } from '#host/http/rate-limit';
import { type DeclarationKind, declare } from './declarations';
import { DECLARATIONS_PER_ADDRESS, DECLARATIONS_PER_EMAIL } from './limits';
import { refundDates } from './refunds';
import { findSubscription } from './subscriptions.store';
import { findRefundable } from './withdrawal';

interface Input {
  body: z.output<typeof cancelContract.body>;
  address: string;
  context: Context;
}

/** All declarations are two steps and answered the same for everyone who is not signed in. */
export function mountContractEnd({ mount }: Router, deps: Deps, authenticate: Authenticate): void {
  mount(cancelContract, (input) => answer('cancel', input));
  mount(withdrawContract, (input) => answer('withdraw', input));
  mount(requestMoneyBack, (input) => answer('money_back', input));

  async function answer(kind: DeclarationKind, input: Input) {
    const { body, address } = input;
    const now = deps.clock.now();
    const { name, email, reference, confirmed } = body;
    const read = { name, email, reference };
    await takePoint(deps.db.orm, DECLARATIONS_PER_ADDRESS, address, now);
    if (!confirmed) {
      return {
        status: 'success' as const,
        message: 'declaration_checked' as const,
        data: { ...read, receivedAt: null, refund: null },
      };
    }
    await takePoint(deps.db.orm, DECLARATIONS_PER_EMAIL, emailKey(email), now);
    const refund = kind === 'cancel' ? null : await refundOf(kind, input, now);
    const receivedAt = await declare(deps, kind, body, now);
    deps.log.info({ audit: `contract_${kind}_declared`, address }, 'audit');
    return {
      status: 'success' as const,
      message: 'declaration_received' as const,
      data: { ...read, receivedAt: receivedAt.toISOString(), refund },
    };
  }

  /** The sum is told to the signed-in customer alone; everyone else gets the same dates. */
  async function refundOf(kind: 'withdraw' | 'money_back', { body, context }: Input, now: Date) {
    const { expectedFrom, expectedUntil } = refundDates(
      deps,
      kind === 'withdraw' ? 'withdrawal' : 'money_back',
      now,
    );
    const dates = { from: expectedFrom.toISOString(), until: expectedUntil.toISOString() };
    const caller = await findCaller(context, authenticate);
    const isOwn = caller?.email.toLowerCase() === body.email.toLowerCase();
    const subscription = caller && isOwn ? await findSubscription(deps.db.orm, caller.accountId) : null;
    if (!subscription) return { ...dates, amountCents: null };
    const { isOpen, amountCents } = await findRefundable(deps.db.orm, deps, subscription, now);
    return isOpen ? { ...dates, amountCents } : null;
  }
}
