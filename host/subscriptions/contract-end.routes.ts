import type { z } from 'zod';
import { cancelContract, withdrawContract } from '#contract/contract-end';
import { emailKey } from '#host/accounts/limits';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { takePoint } from '#host/http/rate-limit';
import { declare } from './declarations';
import { DECLARATIONS_PER_ADDRESS, DECLARATIONS_PER_EMAIL } from './limits';
import { refundDates } from './refunds';

type Body = z.output<typeof cancelContract.body>;

/** Both declarations are two steps and answered the same for everyone. */
export function mountContractEnd({ mount }: Router, deps: Deps): void {
  mount(cancelContract, async ({ body, address }) => answer('cancel', body, address));
  mount(withdrawContract, async ({ body, address }) => answer('withdraw', body, address));

  async function answer(kind: 'cancel' | 'withdraw', body: Body, address: string) {
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
    const receivedAt = await declare(deps, kind, body, now);
    deps.log.info({ audit: `contract_${kind}_declared`, address }, 'audit');
    const { expectedFrom, expectedUntil } = refundDates(deps, 'withdrawal', receivedAt);
    const refund = { from: expectedFrom.toISOString(), until: expectedUntil.toISOString() };
    return {
      status: 'success' as const,
      message: 'declaration_received' as const,
      data: {
        ...read,
        receivedAt: receivedAt.toISOString(),
        refund: kind === 'withdraw' ? refund : null,
      },
    };
  }
}
