import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import type { Job } from '#contract/jobs';
import { DAY_MS } from '#contract/time';
import { dropOldCodeJobs } from '#host/codes/bulk/store';
import { activities } from '#host/db/accounts.tables';
import { codes } from '#host/db/codes.tables';
import { codeJobProblems, codeJobs } from '#host/db/jobs.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { jobCalls } from './job-calls';

describe('many codes at once', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  const { call, start, read, problems, runAll, rows, changesOf, many } = jobCalls(() => ({ host, account }));

  test('up to 100 codes are processed before the response, and every failed one is named', async () => {
    const ids = await many(3);
    const wifi = await host.code(account.id, {
      type: 'wifi',
      content: 'WIFI:T:WPA;S:x;P:password;;',
      name: 'Guests',
    });
    const stranger = await host.code((await host.account()).id);
    const gone = await host.code(account.id);
    await call('DELETE', `/api/qrcodes/${gone.id}`);
    const { status, body } = await start({
      act: 'make_private',
      ids: [...ids, wifi.id, stranger.id, gone.id, ids[0]],
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ kind: 'bulk', act: 'make_private', status: 'done' });
    expect(body.data).toMatchObject({ total: 6, succeeded: 3, failed: 3 });
    const found = await problems(body.data.id);
    expect(found.meta.total).toBe(3);
    const byCode = Object.fromEntries(
      found.data.map(({ codeId, reason, code }) => [codeId, [reason, code?.name]]),
    );
    expect(byCode).toEqual({
      [wifi.id]: ['wifi_public', 'Guests'],
      [stranger.id]: ['not_found', undefined],
      [gone.id]: ['code_deleted', undefined],
    });
    expect((await problems(body.data.id, '?limit=1&page=2')).data).toHaveLength(1);
    expect((await host.db.orm.select().from(codes).where(eq(codes.id, stranger.id)))[0]?.visibility).toBe(
      'public',
    );
  });

  test('each act does the same as the page of a single code', async () => {
    const [id = ''] = await many(1);
    const codeAfter = async (body: object) => {
      expect((await start({ ids: [id], ...body })).body.data).toMatchObject({ status: 'done', succeeded: 1 });
      const { data } = (await call<{ data: { code: Code } }>('GET', `/api/qrcodes/${id}`)).body;
      return data.code;
    };
    expect((await codeAfter({ act: 'tag', tag: ' Été ' })).tags).toEqual(['old', 'Été']);
    expect((await codeAfter({ act: 'tag', tag: 'ETE' })).tags).toEqual(['old', 'Été']);
    expect((await codeAfter({ act: 'untag', tag: 'OLD' })).tags).toEqual(['Été']);
    expect((await codeAfter({ act: 'make_private' })).visibility).toBe('private');
    expect((await codeAfter({ act: 'make_public' })).visibility).toBe('public');
    expect((await codeAfter({ act: 'archive' })).archivedAt).not.toBeNull();
    expect((await codeAfter({ act: 'unarchive' })).archivedAt).toBeNull();
    expect((await codeAfter({ act: 'style', style: { moduleShape: 'dots' } })).style?.moduleShape).toBe(
      'dots',
    );
    expect((await codeAfter({ act: 'style', style: { moduleShape: 'dots' } })).style?.moduleShape).toBe(
      'dots',
    );
    expect((await codeAfter({ act: 'style', style: {} })).style).toBeNull();
    const looks = (await changesOf([id])).filter(({ field }) => field === 'style');
    expect(looks.map(({ before, after }) => [before !== '', after !== ''])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect((await start({ act: 'delete', ids: [id] })).body.data).toMatchObject({ succeeded: 1, failed: 0 });
    const eraseAt = new Date(host.clock.now().getTime() + 30 * DAY_MS);
    expect((await rows())[0]).toMatchObject({ deletedAt: host.clock.now(), eraseAt });
  });

  test.each([
    [{ act: 'archive' }, { ids: ['ids_required'] }],
    [{ act: 'archive', ids: [] }, { ids: ['ids_required'] }],
    [{ act: 'archive', ids: [randomUUID()], filter: {} }, { ids: ['ids_required'] }],
    [{ act: 'archive', ids: Array.from({ length: 101 }, () => randomUUID()) }, { ids: ['ids_too_many'] }],
    [{ act: 'tag', ids: [randomUUID()] }, { tag: ['tag_required'] }],
    [{ act: 'tag', ids: [randomUUID()], tag: ' ,' }, { tag: ['tag_required'] }],
    [{ act: 'tag', ids: [randomUUID()], tag: 'x'.repeat(10_000) }, { tag: ['tag_too_long'] }],
    [{ act: 'tag', ids: [randomUUID()], tag: '\u0000' }, { tag: ['tag_invalid'] }],
    [{ act: 'style', ids: [randomUUID()] }, { style: ['style_required'] }],
    [{ act: 'style', ids: [randomUUID()], style: null }, { style: ['invalid'] }],
    [
      { act: 'style', ids: [randomUUID()], style: { moduleColour: '#fff' } },
      { moduleColour: ['colour_contrast'] },
    ],
    [
      { act: 'style', ids: [randomUUID()], style: { frame: 'badge', caption: '☎' } },
      { caption: ['caption_letters'] },
    ],
    [{ act: 'explode', ids: [randomUUID()] }, { act: ['invalid'] }],
  ])('an invalid job is refused (%#)', async (body, errors) => {
    expect(await start(body)).toMatchObject({ status: 422, body: { errors } });
    expect(await host.db.orm.select().from(codeJobs).where(eq(codeJobs.accountId, account.id))).toEqual([]);
  });

  test('without a subscription codes can only be deleted, as with single codes', async () => {
    account = await host.account({ access: false });
    const { id } = await host.code(account.id);
    expect((await start({ act: 'archive', ids: [id] })).status).toBe(402);
    expect((await start({ act: 'delete', ids: [id] })).body.data).toMatchObject({ succeeded: 1 });
  });

  test('nothing is done if more or fewer codes match than the owner was told', async () => {
    await many(3);
    const body = { act: 'delete', filter: {}, key: 'question-1' };
    for (const expected of [2, 4]) {
      const refused = await start({ ...body, expected });
      expect([refused.status, refused.body.code]).toEqual([409, 'count_differs']);
    }
    await runAll();
    expect((await rows()).filter(({ deletedAt }) => deletedAt)).toEqual([]);
    const { id } = (await start({ ...body, expected: 3 })).body.data;
    await runAll();
    expect(await read(id)).toMatchObject({ status: 'done', succeeded: 3 });
    const again = await start({ ...body, expected: 3 });
    expect([again.status, again.body.data.id]).toEqual([201, id]);
    const all = { ...body, filter: { show: 'all' }, key: 'question-2' };
    expect((await start(all)).body.data).toMatchObject({ total: 0 });
  });

  test('a job names up to exactly 100 codes', async () => {
    const ids = Array.from({ length: 100 }, () => randomUUID());
    const { status, body } = await start({ act: 'archive', ids });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ status: 'done', total: 100, failed: 100 });
  });

  test('a deletion succeeds for codes that are already deleted, and fails for unknown ones', async () => {
    const [gone = '', id = ''] = await many(2);
    await call('DELETE', `/api/qrcodes/${gone}`);
    const ids = [gone, id, randomUUID()];
    const { body } = await start({ act: 'delete', ids });
    expect(body.data).toMatchObject({ status: 'done', total: 3, succeeded: 2, failed: 1 });
    expect((await problems(body.data.id)).data).toMatchObject([{ codeId: ids[2], reason: 'not_found' }]);
    const again = await start({ act: 'delete', ids: [gone, id] });
    expect(again.body.data).toMatchObject({ status: 'done', total: 2, succeeded: 2, failed: 0 });
    const recorded = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
    expect(recorded.filter(({ type }) => type === 'qrcode_delete')).toHaveLength(2);
  });

  test('a second post with the same key starts no job, even when concurrent', async () => {
    await many(2);
    const body = { act: 'archive', filter: {}, key: 'form-1' };
    const answers = await Promise.all([start(body), start(body), start(body)]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    await runAll();
    expect((await start(body)).body.data).toMatchObject({ status: 'done', succeeded: 2 });
    expect((await call<{ data: Job[] }>('GET', '/api/jobs')).body.data).toHaveLength(1);
  });

  test('a different tag with a used key starts another job', async () => {
    const ids = await many(2);
    const body = { act: 'tag', ids, key: 'form-1' };
    for (const tag of ['terrace', 'garden', 'garden']) await start({ ...body, tag });
    const { data: tags } = (await call<{ data: { tag: string }[] }>('GET', '/api/tags')).body;
    expect(tags.map(({ tag }) => tag)).toEqual(['garden', 'old', 'terrace']);
    expect((await call<{ data: Job[] }>('GET', '/api/jobs')).body.data).toHaveLength(2);
  });

  test('a job belongs to its account', async () => {
    await many(1);
    const { id } = (await start({ act: 'archive', filter: {} })).body.data;
    const other = await host.account();
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/problems'],
      ['POST', '/stop'],
    ] as const)
      expect((await call(method, `/api/jobs/${id}${path}`, undefined, other.token)).status).toBe(404);
    expect((await call<{ data: Job[] }>('GET', '/api/jobs', undefined, other.token)).body.data).toEqual([]);
  });

  test('an account has at most five running jobs', async () => {
    await many(1);
    for (let turn = 0; turn < 5; turn += 1)
      expect((await start({ act: 'archive', filter: {} })).status).toBe(201);
    const sixth = await host.request('/api/jobs', {
      method: 'POST',
      body: JSON.stringify({ act: 'archive', filter: {} }),
      token: account.token,
    });
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '10']);
    await runAll();
    expect((await start({ act: 'archive', filter: {} })).status).toBe(201);
    await runAll();
  });

  test('jobs are dropped with their account, and a month after they ended', async () => {
    await many(1);
    const stranger = randomUUID();
    const { id } = (await start({ act: 'archive', ids: [stranger] })).body.data;
    const month = host.clock.now().getTime() + 30 * DAY_MS;
    await dropOldCodeJobs(host.db.orm, new Date(month));
    expect(await read(id)).toMatchObject({ failed: 1 });
    await dropOldCodeJobs(host.db.orm, new Date(month + 1));
    expect(await host.db.orm.select().from(codeJobProblems).where(eq(codeJobProblems.jobId, id))).toEqual([]);
    await start({ act: 'archive', filter: {} });
    await call('DELETE', '/api/account', { password: account.password });
    expect(await host.db.orm.select().from(codeJobs).where(eq(codeJobs.accountId, account.id))).toEqual([]);
    await runAll();
  });
});
