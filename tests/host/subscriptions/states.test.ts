import { expect } from 'vitest';
import { orders, subscriptions } from '#host/db/subscriptions.tables';
import { test } from '../../support/host-test';
import { buy } from '../../support/ordering';

test('a change of a status that is not listed fails, in every test', async ({ host }) => {
  await buy(host);
  const { orm } = host.deps.db;
  const refusal = (from: string, to: string) => ({
    cause: { message: expect.stringMatching(`^unlisted change of a status in .*: ${from} to ${to}$`) },
  });
  for (const status of ['incomplete', 'unconfirmed', 'failed', 'refused'] as const)
    await expect(orm.update(orders).set({ status })).rejects.toMatchObject(refusal('complete', status));
  for (const status of ['incomplete', 'expired'] as const)
    await expect(orm.update(subscriptions).set({ status })).rejects.toMatchObject(
      refusal('trialing', status),
    );
  await orm.update(subscriptions).set({ status: 'active' });
});
