import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { insertManyCodes } from '../../support/many-codes';
import { account, call, host, setUpProgram } from '../../support/program';

setUpProgram();

/** Ids of a list, followed from cursor to cursor. */
async function follow(path: string, between: () => Promise<unknown> = async () => undefined) {
  const found: string[] = [];
  let cursor = '';
  for (let page = 0; page < 50; page += 1) {
    const { body } = await call('GET', `${path}${cursor}`);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    expect(body.hasMore).toBe(body.nextCursor !== null);
    if (!body.hasMore) return found;
    cursor = `&cursor=${body.nextCursor}`;
    await between();
  }
  throw new Error('the list has no end');
}

test('a part of a selection says whether more follow, and leads to them', async () => {
  const made = [];
  for (let one = 0; one < 5; one += 1) made.unshift((await host.code(account.id)).id);
  const select = async (body: object) => (await call('POST', '/codes/selection', body)).body;
  const first = await select({ part: 1, partSize: 2 });
  expect([first.data.length, first.hasMore, first.meta.total]).toEqual([2, true, 5]);
  const second = await select({ partSize: 2, cursor: first.nextCursor });
  expect(second).toEqual(await select({ part: 2, partSize: 2 }));
  const third = await select({ partSize: 2, cursor: second.nextCursor });
  expect([third.data.length, third.hasMore, third.nextCursor]).toEqual([1, false, null]);
  const ids = [first, second, third].flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
  expect(ids).toEqual(made);
  expect(await select({})).toMatchObject({ hasMore: false, nextCursor: null, meta: { total: 5 } });
});

test('more than 1,000 codes are refused without a part', async () => {
  await insertManyCodes(host, account.id, 1_001);
  const refused = await call('POST', '/codes/selection', {});
  expect([refused.status, refused.body.code]).toEqual([422, 'too_many']);
  const part = await call('POST', '/codes/selection', { part: 2 });
  expect([part.status, part.body.data.length, part.body.hasMore]).toEqual([200, 1, false]);
  const session = await host.request('/api/qrcodes/selection', {
    method: 'POST',
    token: account.token,
    body: '{}',
  });
  expect([session.status, await session.json()]).toMatchObject([200, { data: [], meta: { total: 1_001 } }]);
});

test('all jobs can be listed, also while others are started', async () => {
  const start = async () => {
    host.clock.advance(13_000);
    const body = { act: 'archive', filter: { search: 'nothing like it' } };
    return (await call('POST', '/jobs', body)).body.data.id;
  };
  const started: string[] = [];
  for (let one = 0; one < 23; one += 1) started.unshift(await start());
  const first = await call('GET', '/jobs');
  expect([first.body.data.length, first.body.hasMore]).toEqual([20, true]);
  expect(first.headers.get('link')).toContain(first.body.nextCursor);
  expect(await follow('/jobs?limit=10', start)).toEqual(started);
});

test.each(['253402300800000', '999999999999999'])(
  'a cursor of jobs that names no time is refused: %s',
  async (time) => {
    const { status, body } = await call('GET', `/jobs?cursor=${time}.${account.id}`);
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '?cursor', code: 'cursor_invalid' }]]);
  },
);

test('messages to a webhook are listed to their end, however many the installation has sent', async () => {
  const made = await call('POST', '/webhooks', {
    url: 'https://hooks.program.com/',
    events: ['code.deleted'],
  });
  const path = `/webhooks/${made.body.data.id}`;
  await host.db.orm.execute(sql`alter sequence webhook_deliveries_place_seq restart with 2147483646`);
  const sent: string[] = [];
  for (let one = 0; one < 4; one += 1) sent.unshift((await call('POST', `${path}/test`)).body.data.id);
  expect(await follow(`${path}/deliveries?limit=1`)).toEqual(sent);
});

test('messages to a webhook are listed once each, also while others are sent', async () => {
  const made = await call('POST', '/webhooks', {
    url: 'https://hooks.program.com/',
    events: ['code.deleted'],
  });
  const path = `/webhooks/${made.body.data.id}`;
  const sendOne = async () => (await call('POST', `${path}/test`)).body.data.id;
  const sent: string[] = [];
  for (let one = 0; one < 5; one += 1) sent.unshift(await sendOne());
  expect(await follow(`${path}/deliveries?limit=2`, sendOne)).toEqual(sent);
});
