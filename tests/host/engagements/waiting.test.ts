import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApp } from '#host/app';
import type { Database } from '#host/db/client';
import { waitingEngagements } from '#host/db/statistics.tables';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readEngagements, visitorAt } from './engaged-codes';

const ENGAGED = { visitors: 1, engagements: 1, engaged: 1, rate: 1 };

let host: TestHost;
let owner: TestAccount;
let isAway: boolean;

beforeEach(async () => {
  isAway = false;
  const db = await openFresh();
  const query: Database['query'] = (statement) =>
    isAway && statement.name.startsWith('engagement_')
      ? Promise.reject(new Error('away'))
      : db.query(statement);
  host = await createTestHost({ db: { ...db, query } });
  owner = await host.account();
});
afterEach(() => host.close());

const expectSoon = (code: string, figures: object) =>
  expect.poll(() => readEngagements(host, owner, code), { timeout: 10_000 }).toEqual(figures);

const listWaiting = async () =>
  (await host.db.orm.select().from(waitingEngagements)).map(({ visitor }) => visitor);
const expectWaiting = (count: number) => expect.poll(listWaiting, { timeout: 10_000 }).toHaveLength(count);

test('an act that comes before its visit is counted waits for it, and counts once', async () => {
  const code = await host.code(owner.id);
  const ada = visitorAt(host, '192.0.2.1');
  await Promise.all([ada.report(code), ada.report(code)]);
  await expectWaiting(1);
  expect((await readEngagements(host, owner, code.id)).engagements).toBeNull();
  await ada.visit(code);
  await host.recorder.idle();
  await expectSoon(code.id, ENGAGED);
  await expectWaiting(0);
  await ada.report(code);
  expect(await readEngagements(host, owner, code.id)).toEqual(ENGAGED);
});

test('acts left waiting by an earlier run are counted by the next one', async () => {
  const code = await host.code(owner.id);
  await visitorAt(host, '192.0.2.1').visit(code);
  await host.recorder.idle();
  await host.db.orm.execute(sql`insert into waiting_engagements (code_id, day, visitor, kind)
    select code_id, day, visitor, 'report' from visitor_days where code_id = ${code.id}`);
  createApp(host.deps, host.recorder);
  await expectSoon(code.id, ENGAGED);
  await expectWaiting(0);
});

test.each([99, 100, 101])('of %i acts that waited all are counted once, and none is left', async (count) => {
  const code = await host.code(owner.id);
  await host.db.orm.execute(sql`insert into visitor_days (code_id, day, visitor)
    select ${code.id}, '2026-03-02', n from generate_series(1, ${count}::int) as n`);
  await host.db.orm.execute(sql`insert into waiting_engagements (code_id, day, visitor, kind)
    select code_id, day, visitor, 'report' from visitor_days where code_id = ${code.id}`);
  createApp(host.deps, host.recorder);
  await expectWaiting(0);
  const [row] = await host.db.query<{ engagements: number; engaged: number }>({
    name: '',
    text: 'select engagements, engaged from code_engagements where code_id = $1',
    values: [code.id],
  });
  expect(row).toEqual({ engagements: count, engaged: count });
});

test('an act that has waited ten minutes for its visit is dropped', async () => {
  const code = await host.code(owner.id);
  await host.db.orm.execute(sql`insert into waiting_engagements (code_id, day, visitor, kind, since) values
    (${code.id}, '2026-03-02', 1, 'report', now() - interval '601 seconds'),
    (${code.id}, '2026-03-02', 2, 'report', now() - interval '300 seconds')`);
  await visitorAt(host, '192.0.2.1').report(code);
  await expect.poll(listWaiting, { timeout: 10_000 }).not.toContain(1n);
  expect(await listWaiting()).toContain(2n);
});

test('of three hundred reports of an address in a minute the last one counts, and one more is refused', async () => {
  const [code, other] = [await host.code(owner.id), await host.code(owner.id)];
  const ada = visitorAt(host, '192.0.2.1');
  for (const each of [code, other]) await ada.visit(each);
  await ada.report(code);
  await expectSoon(code.id, ENGAGED);
  const spend = sql`update rate_limits set points = 299 where key like 'engagement:%'`;
  await host.db.orm.execute(spend);
  expect((await ada.report(other)).status).toBe(204);
  await expectSoon(other.id, ENGAGED);
  expect((await ada.report(other)).status).toBe(429);
  host.clock.advance(60_000);
  expect((await ada.report(other)).status).toBe(204);
});

test('an act during a database outage is counted when the database is back', async () => {
  const code = await host.code(owner.id);
  const ada = visitorAt(host, '192.0.2.1');
  await ada.visit(code);
  await host.recorder.idle();
  isAway = true;
  expect((await ada.report(code)).status).toBe(204);
  expect((await readEngagements(host, owner, code.id)).engagements).toBeNull();
  isAway = false;
  await expectSoon(code.id, ENGAGED);
});
