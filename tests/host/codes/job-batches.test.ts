import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '#contract/jobs';
import { runBatch } from '#host/codes/bulk/run';
import { lockDueJob } from '#host/codes/bulk/store';
import { activities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeJobs } from '#host/db/jobs.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { countWaiting } from '../../support/locks';
import { jobCalls } from './job-calls';

/** More than one batch. */
const MANY = 130;

describe('batches of a job', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  /** The host's database, except that transactions run like this. */
  function transactingWith(transaction: (work: (orm: Orm) => Promise<unknown>) => Promise<unknown>): Orm {
    return new Proxy(host.db.orm, {
      get: (orm, name, receiver) => (name === 'transaction' ? transaction : Reflect.get(orm, name, receiver)),
    });
  }

  const { call, start, read, runAll, rows, changesOf, many } = jobCalls(() => ({ host, account }));

  test('each matching code is processed once, though it no longer matches afterwards', async () => {
    const ids = await many(MANY);
    const kept = await host.code(account.id, { name: 'kept' });
    const { body } = await start({ act: 'untag', tag: 'old', filter: { tag: 'OLD' } });
    expect(body.data).toMatchObject({ status: 'running', total: MANY, succeeded: 0 });
    await host.code(account.id, { tags: ['old'] });
    await runAll();
    expect(await read(body.data.id)).toMatchObject({ status: 'done', succeeded: MANY, failed: 0 });
    expect(await changesOf(ids)).toHaveLength(MANY);
    expect(await changesOf([kept.id])).toEqual([]);
    expect((await call<{ data: unknown }>('GET', '/api/tags')).body.data).toEqual([
      { tag: 'old', codes: 1, archived: 0 },
    ]);
    const recorded = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
    expect(recorded).toMatchObject([{ type: 'qrcode_update', codes: MANY, codeId: null }]);
  });

  test('a batch whose host is killed is rolled back, and resumed by the next host', async () => {
    const ids = await many(50);
    const { body } = await start({ act: 'make_private', filter: {} });
    expect(await runBatch(host.deps, body.data.id)).toMatchObject({ position: 20, status: 'running' });
    const killed = transactingWith((work) =>
      host.db.orm.transaction(async (transaction) => {
        await work(transaction);
        throw new Error('killed before it could commit');
      }),
    );
    await runAll(killed);
    expect(await changesOf(ids)).toHaveLength(20);
    expect(await read(body.data.id)).toMatchObject({ status: 'running', succeeded: 20 });
    host.clock.advance(29_999);
    await runAll();
    expect(await read(body.data.id)).toMatchObject({ status: 'running', succeeded: 20 });
    host.clock.advance(1);
    await runAll();
    expect(await read(body.data.id)).toMatchObject({ status: 'done', succeeded: 50 });
    expect(await changesOf(ids)).toHaveLength(50);
  });

  test('an error before a job is found is passed on, and postpones no job', async () => {
    await many(1);
    const { body } = await start({ act: 'make_private', filter: {} });
    const down = new Error('connect ECONNREFUSED');
    await expect(runAll(transactingWith(() => Promise.reject(down)))).rejects.toBe(down);
    await runAll();
    expect(await read(body.data.id)).toMatchObject({ status: 'done', succeeded: 1 });
  });

  test('whoever runs a given job waits for the host that is working on it', async () => {
    await many(2);
    const { body } = await start({ act: 'archive', filter: {} });
    let given: ReturnType<typeof runBatch> = Promise.resolve(null);
    await host.db.orm.transaction(async (transaction) => {
      expect(await lockDueJob(transaction, host.clock.now())).toMatchObject({ id: body.data.id });
      expect(await runBatch(host.deps), 'another due job').toBeNull();
      given = runBatch(host.deps, body.data.id);
      await expect.poll(() => countWaiting(host.db.orm)).toBe(1);
    });
    expect(await given).toMatchObject({ status: 'done', succeeded: 2 });
    expect(await runBatch(host.deps, body.data.id), 'a job that has ended').toBeNull();
  });

  test('hosts that work concurrently never process a batch twice', async () => {
    const ids = await many(MANY);
    const { body } = await start({ act: 'tag', tag: 'new', filter: {} });
    await Promise.all([runAll(), runAll(), runAll()]);
    await runAll();
    expect(await read(body.data.id)).toMatchObject({ status: 'done', succeeded: MANY, failed: 0 });
    expect(await changesOf(ids)).toHaveLength(MANY);
    expect((await call<{ data: unknown[] }>('GET', '/api/tags')).body.data).toContainEqual({
      tag: 'new',
      codes: MANY,
      archived: 0,
    });
  });

  test('jobs take turns, so that a long one does not block others', async () => {
    await many(MANY);
    const long = (await start({ act: 'archive', filter: {} })).body.data.id;
    host.clock.advance(1);
    account = await host.account();
    await many(1);
    await start({ act: 'archive', filter: {} });
    for (const _ of [1, 2]) {
      host.clock.advance(1);
      await runBatch(host.deps);
    }
    const [short] = (await call<{ data: Job[] }>('GET', '/api/jobs')).body.data;
    expect(short).toMatchObject({ status: 'done', succeeded: 1 });
    await runAll();
    const [row] = await host.db.orm.select().from(codeJobs).where(eq(codeJobs.id, long));
    expect(row).toMatchObject({ status: 'done', succeeded: MANY });
  });

  test('a stopped job leaves the remaining codes, and the activity says how many it processed', async () => {
    const ids = await many(50);
    const { body } = await start({ act: 'delete', filter: { show: 'all' } });
    await runBatch(host.deps, body.data.id);
    for (const _ of [1, 2])
      expect((await call<{ data: Job }>('POST', `/api/jobs/${body.data.id}/stop`)).body.data).toMatchObject({
        status: 'stopped',
        succeeded: 20,
      });
    await runAll();
    expect((await rows()).filter(({ deletedAt }) => deletedAt === null)).toHaveLength(ids.length - 20);
    const recorded = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
    expect(recorded).toMatchObject([{ type: 'qrcode_delete', codes: 20 }]);
  });
});
