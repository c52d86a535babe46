import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database, Query, Statement } from '#host/db/client';
import { insertBatch, serializeVisits } from '#host/visits/count/journal';
import type { Visit } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { Spool } from '#host/visits/spool/spool';
import { VISIT_ID_HEADER, VISIT_RESENT_HEADER } from '#runtime/internal-key';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { asWebsite } from '../../support/internal-key';
import { visitOf } from '../statistics/visit-stream';
import { emptyVisits, readCode } from './stored-visits';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Mobile/15E148';
const IDS = ['first', 'second', 'third'] as const;
const step = fc.record({
  act: fc.constantFrom('journal', 'spool', 'resend', 'resendToOther', 'count', 'countByOther'),
  id: fc.constantFrom(...IDS),
  trouble: fc.constantFrom('none', 'none', 'down', 'lost'),
  at: fc.constantFrom('visits_insert', 'visits_find_counted', 'visits_count_once'),
} as const);

let host: TestHost;
let db: Database;
let broken: ReturnType<typeof breakable>;
let code: { id: string; slug: string };

beforeAll(async () => {
  db = await openFresh();
  broken = breakable(db);
  host = await createTestHost({ db: broken.db });
  code = await host.code((await host.account()).id);
});

beforeEach(async () => {
  broken.set('none');
  await emptyVisits(host.db);
});

afterAll(() => host.close());

const visit = (id: string, fields: Partial<Visit> = {}) =>
  visitOf(code.id, host.clock.now().toISOString(), { id, ...fields });

/** The batch that a host wrote for the visits with these ids before it died. */
function batchOf(ids: string[]) {
  const visits = ids.map((id) => visit(id));
  return {
    size: visits.length,
    at: visits[0]?.at ?? 0,
    visits: serializeVisits(visits, () => '8713'),
  };
}

const journal = (...ids: string[]) =>
  db.query(insertBatch({ lane: randomUUID(), number: 1, ...batchOf(ids) }));

async function leaveInSpool(...ids: string[]): Promise<void> {
  const spool = new Spool(host.deps);
  await spool.add(batchOf(ids));
  await spool.close();
}

async function resend(id: string, headers: Record<string, string> = asWebsite): Promise<void> {
  const given = { ...headers, [VISIT_ID_HEADER]: id, [VISIT_RESENT_HEADER]: '1', 'user-agent': PHONE };
  const answer = await host.app.request(`/r/${code.slug}`, { headers: given });
  expect(answer.headers.get('location')).toBe('https://destination.example/');
}

/** Another host on the same database; `before` comes before each of its statements. */
function otherHost(before = async (_: Statement): Promise<void> => undefined) {
  const visits = { ...host.deps.visits, folder: join(host.deps.visits.folder, randomUUID()) };
  const intercept =
    (query: Query): Query =>
    async (statement) => {
      await before(statement);
      return query(statement);
    };
  const own: Database = {
    ...host.db,
    query: intercept(host.db.query),
    inTransaction: (work) => host.db.inTransaction((query) => work(intercept(query))),
  };
  const recorder = new VisitRecorder({ ...host.deps, db: own, visits });
  onTestFinished(() => recorder.close());
  return recorder;
}

async function countAll({ recorder }: Pick<TestHost, 'recorder'> = host): Promise<void> {
  await recorder.idle();
  await recorder.claimStale(0);
  await recorder.idle();
}

async function countedVisits(): Promise<number> {
  await countAll();
  const { totals, raw } = await readCode(host.db, code.id);
  const scans = totals[0]?.scans ?? 0;
  expect(raw.reduce((sum, { count }) => sum + count, 0)).toBe(scans);
  return scans;
}

describe.each([
  ['in the journal', journal],
  ['in the spool', leaveInSpool],
])('a visit that a dead host left %s', (_place, leave) => {
  test('is counted once if it is resent', async () => {
    await leave('again', 'only once');
    await resend('again');
    expect(await countedVisits()).toBe(2);
  });

  test('is counted once if it was counted before it is resent', async () => {
    await leave('again', 'only once');
    expect(await countedVisits()).toBe(2);
    await resend('again');
    expect(await countedVisits()).toBe(2);
  });

  test('is counted once if the resent one was counted first', async () => {
    await resend('again');
    expect(await countedVisits()).toBe(1);
    // In the journal it is also that of a transaction that committed late.
    await leave('again', 'only once');
    expect(await countedVisits()).toBe(2);
  });

  test('is counted once if it is resent while the database cannot be reached', async () => {
    await leave('again', 'only once');
    broken.set('down', 'visits_');
    await resend('again');
    broken.set('none');
    expect(await countedVisits()).toBe(2);
  });

  test('is counted once if it was counted, and is resent while the database cannot be reached', async () => {
    await leave('again', 'only once');
    expect(await countedVisits()).toBe(2);
    broken.set('down', 'visits_');
    await resend('again');
    broken.set('none');
    expect(await countedVisits()).toBe(2);
  });

  test('is counted once if two hosts count it at the same moment', async () => {
    let counts = 0;
    const second = otherHost(async ({ name }) => {
      if (name === 'visits_count_once' && ++counts === 1) {
        await leave('again', 'only once');
        await countAll();
      }
    });
    await second.record(visit('again', { isResent: true }));
    await second.idle();
    // The first time it found nothing, and then that the other host had been faster.
    expect(counts).toBe(1);
    expect(await countedVisits()).toBe(2);
  });
});

test('a resent visit that never reached a host is counted once', async () => {
  await resend('never-arrived');
  await resend('another');
  expect(await countedVisits()).toBe(2);
});

test('a visit that is resent twice is counted once, together or one after the other', async () => {
  await Promise.all([resend('again'), resend('again')]);
  expect(await countedVisits()).toBe(1);
  await resend('again');
  expect(await countedVisits()).toBe(1);
});

test('a visit that a stopping host did not answer is counted once', async () => {
  broken.set('down', 'visits_insert');
  const stopping = otherHost();
  await stopping.record(visit('again'));
  const stopped = stopping.close();
  broken.set('none');
  await stopped;
  expect(await countedVisits()).toBe(1);
  await resend('again');
  expect(await countedVisits()).toBe(1);
});

test('a visit is recorded only when nothing else delays its response', async () => {
  const owner = await host.account();
  const content = `${host.deps.settings.shortUrl}/r/7K3M9QXD`;
  const { id, slug } = await host.code(owner.id, { content });
  const headers = { 'user-agent': PHONE };
  // Only its target is not cached.
  expect((await host.app.request(`/b/${slug}`, { headers })).status).toBe(200);
  broken.set('stuck', 'code_by_slug');
  const answer = host.app.request(`/r/${slug}`, { headers });
  await countAll();
  expect((await readCode(host.db, id)).raw).toEqual([]);
  broken.set('none');
  expect((await answer).status).toBe(302);
  await countAll();
  expect((await readCode(host.db, id)).raw).toEqual([{ source: 'scan', class: 'human', count: 1 }]);
});

test('visits without an id and visits of a living host cost no id', async () => {
  await journal('taken over');
  await countAll();
  await host.request(`/r/${code.slug}`);
  await host.request(`/r/${code.slug}`, { headers: { ...asWebsite, [VISIT_ID_HEADER]: 'sent once' } });
  expect(await countedVisits()).toBe(3);
  const text = 'select id from visit_ids';
  expect(await host.db.query({ name: '', text, values: [] })).toEqual([{ id: 'taken over' }]);
});

test('only the gateway can mark a visit as resent', async () => {
  await journal('known');
  await resend('known', {});
  expect(await countedVisits()).toBe(2);
});

test('whatever hosts died with and whatever failed, every visit is counted once', async () => {
  const run = async (steps: { act: string; id: string; trouble: string; at: string }[]) => {
    await emptyVisits(host.db);
    const other = otherHost();
    const left = new Set<string>();
    const recorded = new Set<string>();
    for (const { act, id, trouble, at } of steps) {
      // A host dies with a visit only once.
      if (['journal', 'spool'].includes(act) && left.has(id)) continue;
      if (act === 'journal') await journal(id);
      else if (act === 'spool') await leaveInSpool(id);
      broken.set(trouble as 'none', at);
      if (act === 'resend') await host.recorder.record(visit(id, { isResent: true }));
      else if (act === 'resendToOther') await other.record(visit(id, { isResent: true }));
      else if (act === 'count') await host.recorder.claimStale(0);
      else if (act === 'countByOther') await other.claimStale(0);
      if (!act.startsWith('count')) recorded.add(id);
      if (['journal', 'spool'].includes(act)) left.add(id);
    }
    broken.set('none');
    await countAll({ recorder: other });
    await other.close();
    expect(await countedVisits()).toBe(recorded.size);
  };
  const fixed = [
    { act: 'resend', id: 'first', trouble: 'lost', at: 'visits_count_once' },
    { act: 'journal', id: 'first', trouble: 'none', at: 'visits_insert' },
    { act: 'resendToOther', id: 'first', trouble: 'down', at: 'visits_find_counted' },
    { act: 'countByOther', id: 'first', trouble: 'none', at: 'visits_insert' },
    { act: 'spool', id: 'second', trouble: 'none', at: 'visits_insert' },
    { act: 'resend', id: 'second', trouble: 'lost', at: 'visits_insert' },
  ] as const;
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), run), {
    numRuns: 25,
    examples: [[[...fixed]]],
  });
});
