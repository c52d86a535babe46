import { afterEach, beforeEach, expect, test } from 'vitest';
import { billingSteps } from '#host/db/subscriptions.tables';
import { bookStep, type Handler, runDueSteps, type StepKind } from '#host/subscriptions/steps';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;

beforeEach(async () => {
  host = await createTestHost();
  const dueAt = host.clock.now();
  for (const key of ['one', 'two', 'three']) {
    await bookStep(host.db.orm, { kind: 'refund', subject: key, key, dueAt });
  }
});
afterEach(() => host.close());

/** Does every step with the same handler. */
function run(handler: Handler, stopping?: AbortSignal): Promise<void> {
  const handlers = new Proxy({}, { get: () => handler }) as Record<StepKind, Handler>;
  return runDueSteps(host.deps, handlers, host.clock.now(), stopping);
}

const steps = () => host.db.orm.select().from(billingSteps);

test('a step is claimed when its turn comes, not while an earlier one takes its time', async () => {
  const claimed: number[] = [];
  await run(async () => {
    claimed.push((await steps()).filter(({ claimedUntil }) => claimedUntil !== null).length);
  });
  expect(claimed).toEqual([1, 1, 1]);
  expect((await steps()).every(({ doneAt }) => doneAt !== null)).toBe(true);
});

test('a host that stops ends the step it is at and leaves the others to be claimed', async () => {
  const stopping = new AbortController();
  const done: string[] = [];
  await run(async ({ subject }) => {
    done.push(subject);
    stopping.abort();
  }, stopping.signal);
  expect(done).toHaveLength(1);
  const left = (await steps()).filter(({ doneAt }) => doneAt === null);
  expect(left.map(({ attempts, claimedUntil }) => [attempts, claimedUntil])).toEqual([
    [0, null],
    [0, null],
  ]);
  await run(async ({ subject }) => {
    done.push(subject);
  });
  expect(done.sort()).toEqual(['one', 'three', 'two']);
});
