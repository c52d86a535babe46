import { afterEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { createServerClock } from '#host/db/database-clock';
import { createSandboxClock } from '#host/payment-sandbox/clock';
import { runDueBilling } from '#host/subscriptions/billing-work';
import { readBooks } from '../../support/books';
import { createTestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, buy, onboard, subscriptionOf } from '../../support/ordering';

afterEach(() => vi.useRealTimers());

/** A host with the production clock, adjustable by the sandbox. */
async function hostOnTime() {
  const time = createServerClock();
  const sandbox = createSandboxClock(time);
  const host = await createTestHost({
    clock: {
      ...sandbox,
      set: (date) => sandbox.set?.(date),
      advance: (ms) => sandbox.set?.(new Date(sandbox.now().getTime() + ms)),
    },
  });
  await time.synchronize(host.db.orm);
  return host;
}

test('a jump of the host’s clock by 100 days changes nothing', async () => {
  const host = await hostOnTime();
  const { accountId, email } = await buy(host);
  const token = await onboard(host, email);
  await host.mails();
  const read = async () => {
    await runDueBilling(host.deps);
    const mails = (await host.mails()).map(({ subject }) => subject);
    const paidCall = await send(host, 'POST', '/api/qrcodes/stats', {}, { token });
    const books = await readBooks(host);
    return {
      mails,
      books,
      paidCall: paidCall.status,
      subscription: await subscriptionOf(host, accountId),
    };
  };
  const before = await read();
  expect(before).toMatchObject({ paidCall: 200, books: { charged: 0, attempts: 0 } });

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100 * DAY_MS });
  expect(await read()).toEqual(before);

  await advance(host, '49h');
  expect(await readBooks(host)).toMatchObject({ charged: 990, charges: 1, paid: 990, invoiced: 990 });
  expect(await subscriptionOf(host, accountId)).toMatchObject({ status: 'active' });
  await host.close();
});
