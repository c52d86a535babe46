import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runDueRouting } from '#host/codes/routing/due-work';
import type { Deps } from '#host/http/deps';
import { runInsightMails } from '#host/insight/jobs';
import { collectDestinations, createDestinationCheck } from '#host/insight/watch/check';
import { deliverDueMails } from '#host/mail/delivery';
import { processLinkRequests } from '#host/sign-in/link-requests';
import { tellVisits } from '#host/webhooks/visits';
import { createWebhookWorker } from '#host/webhooks/worker';
import { createTestHost, type TestHost } from '../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const PERIODIC_WORK: [string, (deps: Deps, now: Date) => Promise<void> | undefined][] = [
  ['requested links', processLinkRequests],
  ['mails', deliverDueMails],
  ['scheduled targets and ends', (deps, now) => runDueRouting(deps, now)],
  ['figures and first visits to tell', (deps, now) => runInsightMails(deps, now)],
  ['destinations to ask', (deps) => createDestinationCheck(deps)()],
  ['destinations of new codes', ({ db }, now) => collectDestinations(db.orm, now)],
  ['messages to webhooks', (deps) => createWebhookWorker(deps)()],
  ['visits that webhooks are told of', (deps, now) => tellVisits(deps, now)],
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
