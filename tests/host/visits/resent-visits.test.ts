import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { VISIT_ID_HEADER, VISIT_RESENT_HEADER } from '#contract/internal-key';
import { readAgent } from '#host/visits/classify';
import { insertBatch, serializeVisits } from '#host/visits/journal';
import { createSpool } from '#host/visits/spool';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { asWebsite } from '../../support/internal-key';
import { emptyVisits, readCode } from './stored-visits';

let host: TestHost;
let broken: ReturnType<typeof breakable>;
let code: { id: string; slug: string };

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  code = await host.code((await host.account()).id);
});

beforeEach(() => emptyVisits(host.db));

afterAll(() => host.close());

/** The batch that a host wrote for the visit with this id before it died. */
function batchOf(id: string) {
  const agent = readAgent('Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Mobile/15E148');
  const visit = {
    ...{ id, codeId: code.id, at: host.clock.now().getTime(), agent, language: 'en', country: '' },
    ...({ source: 'scan', class: 'human', outcome: 'served', clientIp: '192.0.2.1' } as const),
  };
  return { size: 1, at: visit.at, visits: serializeVisits([visit], () => '8713') };
}

const journal = (id: string) => host.db.query(insertBatch({ lane: randomUUID(), number: 1, ...batchOf(id) }));

async function sendAgain(id: string, headers: Record<string, string> = asWebsite): Promise<void> {
  const given = { ...headers, [VISIT_ID_HEADER]: id, [VISIT_RESENT_HEADER]: '1' };
  const answer = await host.request(`/r/${code.slug}`, { headers: given });
  expect(answer.status).toBe(302);
}

async function countedVisits(): Promise<number> {
  await host.recorder.idle();
  await host.recorder.claimStale(0);
  await host.recorder.idle();
  return (await readCode(host.db, code.id)).totals[0]?.scans ?? 0;
}

test('a visit that a dead host left in the journal is not recorded again', async () => {
  await journal('of-a-dead-host');
  await sendAgain('of-a-dead-host');
  expect(await countedVisits()).toBe(1);
});

test('nor is one whose batch was taken over and counted in the meantime', async () => {
  await journal('taken-over');
  expect(await countedVisits()).toBe(1);
  await sendAgain('taken-over');
  expect(await countedVisits()).toBe(1);
});

test('nor is one from the spool of a dead host', async () => {
  const left = createSpool(host.deps);
  await left.add(batchOf('spooled'));
  await left.close();
  expect(await countedVisits()).toBe(1);
  await sendAgain('spooled');
  expect(await countedVisits()).toBe(1);
});

test('a resent visit that never reached a host is recorded once', async () => {
  await sendAgain('never-arrived');
  await sendAgain('another');
  expect(await countedVisits()).toBe(2);
});

test('if the database does not respond, a resent visit is recorded rather than lost', async () => {
  broken.set('down', 'visits_find_resent');
  await sendAgain('unknown');
  broken.set('none');
  expect(await countedVisits()).toBe(1);
});

test('only the gateway can mark a visit as resent', async () => {
  await journal('known');
  await sendAgain('known', {});
  expect(await countedVisits()).toBe(2);
});
