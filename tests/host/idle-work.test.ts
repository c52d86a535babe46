import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Deps } from '#host/http/deps';
import { deliverDueMails } from '#host/mail/delivery';
import { processLinkRequests } from '#host/sign-in/link-requests';
import { createTestHost, type TestHost } from '../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const PERIODIC_WORK: [string, (deps: Deps, now: Date) => Promise<void> | undefined][] = [
  ['requested links', processLinkRequests],
  ['mails', deliverDueMails],
  ['webhooks of the sandbox', ({ payments }, now) => payments.deliver?.(now)],
];

const textOf = (statement: unknown) =>
  typeof statement === 'string' ? statement : (statement as { text: string }).text;

test.each(PERIODIC_WORK)('looking for %s takes one statement if there are none', async (_, work) => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await work(host.deps, host.clock.now());
  const sent = query.mock.calls.map(([statement]) => textOf(statement));
  query.mockRestore();
  // The host itself begins to listen, and looks for engagements that wait.
  expect(sent.filter((text) => !/^LISTEN |waiting_engagements/.test(text))).toHaveLength(1);
});
