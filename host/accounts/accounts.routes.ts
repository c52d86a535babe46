import { getProfile } from '#contract/accounts';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { findProfile } from './accounts.store';

export function mountAccounts({ mount }: Router, { db, clock }: Deps): void {
  mount(getProfile, async ({ caller }) => {
    const profile = await findProfile(db.orm, caller.accountId, clock.now());
    if (!profile) throw new ApiError('unauthenticated');
    return { data: profile };
  });
}
