import { createAddress, deleteAddress, listAddresses, updateAddress } from '#contract/addresses';
import { done } from '#contract/call';
import { recordActivity } from '#host/accounts/activities';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import * as store from './store';

const MAX_ADDRESSES = 50;

export function mountAddresses({ mount }: Router, { db, clock }: Deps): void {
  mount(listAddresses, async ({ caller }) => ({
    data: (await store.listAddresses(db.orm, caller.accountId)).map(store.presentAddress),
  }));

  mount(createAddress, async ({ caller, body }) => {
    const now = clock.now();
    const created = await db.orm.transaction(async (transaction) => {
      await store.lockAddresses(transaction, caller.accountId);
      const { key, ...sent } = body;
      const id = store.addressId(caller.accountId, key && formKeyOf(key, sent));
      const known = key && (await store.findAddress(transaction, caller.accountId, id));
      if (known) return known;
      const before = await store.countAddresses(transaction, caller.accountId);
      if (before >= MAX_ADDRESSES) throw new ApiError('conflict');
      const isDefault = body.is_default || before === 0;
      if (isDefault) await store.moveDefault(transaction, caller.accountId, undefined);
      if (isDefault && before > 0) {
        await recordActivity(transaction, caller.accountId, 'account_set_default_billing_address', now);
      }
      return store.insertAddress(transaction, caller.accountId, { ...body, is_default: isDefault }, now, id);
    });
    return { data: store.presentAddress(created) };
  });

  mount(updateAddress, async ({ caller, params, body }) => {
    const changed = await db.orm.transaction(async (transaction) => {
      await store.lockAddresses(transaction, caller.accountId);
      const row = await store.changeAddress(transaction, caller.accountId, params.id, body);
      if (!row) throw new ApiError('not_found');
      if (!body.is_default || row.isDefault) return row;
      await store.moveDefault(transaction, caller.accountId, row.id);
      await recordActivity(transaction, caller.accountId, 'account_set_default_billing_address', clock.now());
      return { ...row, isDefault: true };
    });
    return { data: store.presentAddress(changed) };
  });

  mount(deleteAddress, async ({ caller, params }) => {
    await db.orm.transaction(async (transaction) => {
      await store.lockAddresses(transaction, caller.accountId);
      const removed = await store.removeAddress(transaction, caller.accountId, params.id);
      if (!removed) throw new ApiError('not_found');
      if (removed.isDefault) {
        const [newest] = await store.listAddresses(transaction, caller.accountId);
        await store.moveDefault(transaction, caller.accountId, newest?.id);
      }
      await recordActivity(transaction, caller.accountId, 'account_deleted_billing_address', clock.now());
    });
    return done('billing_address_deleted');
  });
}
