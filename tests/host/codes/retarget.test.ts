import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ResponseOf } from '#contract/call';
import type { previewRetarget } from '#contract/jobs';
import { retargetCode } from '#host/codes/bulk/retarget';
import { codeChanges } from '#host/db/codes.tables';
import { blockedTargets } from '#host/db/operator.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { jobCalls } from './job-calls';

let host: TestHost;
let account: TestAccount;
const { call, start, read, problems, runAll, rows } = jobCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  account = await host.account();
});
afterAll(() => host.close());

const RULES = {
  publicUrl: 'https://www.quadrille.example',
  shortUrl: 'https://go.quadrille.example',
  hostPublicUrl: 'http://127.0.0.1:4000',
  blockedHosts: new Set<string>(['bad.example']),
};
const link = (content: string) => ({
  id: randomUUID(),
  number: 1,
  type: 'link' as const,
  name: null,
  content,
  subject: '',
  body: '',
  slug: 'ABCDEFGH',
  tags: [],
  campaign: null,
  routing: null,
});
const replace = (find: string, replacement: string) => ({ kind: 'replace' as const, find, replacement });
const set = (target: string) => ({ kind: 'set' as const, target });
const preview = (body: object, token?: string) =>
  call<ResponseOf<typeof previewRetarget> & { errors: object }>(
    'POST',
    '/api/jobs/retarget-preview',
    body,
    token,
  );
const make = (...contents: string[]) =>
  Promise.all(contents.map((content) => host.code(account.id, { content })));

test('a replaced part is replaced wherever it occurs, letter by letter, and nothing else changes', () => {
  const word = fc.stringMatching(/^[a-z$&]{1,6}$/);
  fc.assert(
    fc.property(word, word, fc.array(word, { maxLength: 5 }), (find, replacement, parts) => {
      const before = `https://shop.example/${[...parts, find].join('/')}`;
      const result = retargetCode(link(before), replace(find, replacement), RULES);
      const after = before.split(find).join(replacement);
      if (after === before) expect(result).toEqual({ reason: 'retarget_unchanged' });
      else if ('values' in result) expect(result.values.content).toBe(after);
      else expect(result.reason).toMatch(/^(?:link|content)_|^address_meant/);
    }),
  );
});

test.each([
  [set('https://new.example/'), { values: { content: 'https://new.example/' } }],
  [set('  new.example/x '), { values: { content: 'https://new.example/x' } }],
  [set('https://old.example/menu'), { reason: 'retarget_unchanged' }],
  [set('https://bad.example/'), { reason: 'link_blocked' }],
  [set('https://www.quadrille.example/l/ABCDEFGH'), { reason: 'link_own' }],
  [set('javascript:alert(1)'), { reason: 'link_invalid' }],
  [replace('old', 'new'), { values: { content: 'https://new.example/menu' } }],
  [replace('OLD', 'new'), { reason: 'retarget_unchanged' }],
  [replace('/menu', ''), { values: { content: 'https://old.example' } }],
  [replace('old.example', 'sub.bad.example'), { reason: 'link_blocked' }],
  [replace('https://old.example/menu', ''), { reason: 'content_required' }],
  [replace('menu', 'x'.repeat(300)), { reason: 'content_too_long' }],
])('%o', (retarget, expected) => {
  expect(retargetCode(link('https://old.example/menu'), retarget, RULES)).toMatchObject(expected);
});

test('a code that is no link is left out', () => {
  const text = { ...link('See old.example'), type: 'text' as const };
  expect(retargetCode(text, replace('old', 'new'), RULES)).toEqual({ reason: 'not_link' });
});

test('the preview says what would change and what is left out, and changes nothing', async () => {
  const [one, two] = await make('https://old.example/1', 'https://other.example/');
  const text = await host.code(account.id, { type: 'text', content: 'old.example' });
  const retarget = replace('old.example', 'new.example');
  const { body } = await preview({ retarget, filter: {} });
  expect(body.data).toMatchObject({
    changed: 1,
    changes: [{ id: one?.id, content: 'https://old.example/1', after: 'https://new.example/1' }],
    left: 2,
    leftOut: [
      { id: text.id, reason: 'not_link' },
      { id: two?.id, reason: 'retarget_unchanged' },
    ],
  });
  expect((await rows()).map(({ content }) => content)).toContain('https://old.example/1');
});

test('it lists the first 50 and counts the others', async () => {
  await make(...Array.from({ length: 53 }, (_, index) => `https://old.example/${index}`));
  const { data } = (await preview({ retarget: set('https://new.example/'), filter: {} })).body;
  expect([data.changed, data.changes.length, data.left]).toEqual([53, 50, 0]);
});

test('the job changes the addresses, with a history that can bring them back', async () => {
  const made = await make('https://old.example/1', 'https://old.example/2', 'https://other.example/');
  const ids = made.map(({ id }) => id);
  const retarget = replace('old.example', 'new.example');
  const started = await start({ act: 'retarget', retarget, ids, expected: 2 });
  expect(started.body.data).toMatchObject({
    act: 'retarget',
    status: 'done',
    total: 2,
    succeeded: 2,
    failed: 0,
  });
  const changed = await rows();
  expect(changed.map(({ content }) => content).sort()).toEqual([
    'https://new.example/1',
    'https://new.example/2',
    'https://other.example/',
  ]);
  const history = await host.db.orm
    .select()
    .from(codeChanges)
    .where(eq(codeChanges.codeId, ids[0] ?? ''));
  expect(history).toMatchObject([
    { field: 'content', before: 'https://old.example/1', after: 'https://new.example/1' },
  ]);
  await expect
    .poll(async () => (await host.request(`/r/${made[0]?.slug}`)).headers.get('location'))
    .toBe('https://new.example/1');
});

test('all that match are changed in the background; what has become invalid meanwhile is named', async () => {
  await make(...Array.from({ length: 30 }, (_, index) => `https://old.example/${index}`));
  const retarget = set('https://later-blocked.example/');
  const { body } = await start({ act: 'retarget', retarget, filter: {}, expected: 30 });
  expect(body.data).toMatchObject({ status: 'running', total: 30 });
  await host.db.orm.insert(blockedTargets).values({ host: 'later-blocked.example', at: host.clock.now() });
  await runAll();
  expect(await read(body.data.id)).toMatchObject({ status: 'done', succeeded: 0, failed: 30 });
  expect((await problems(body.data.id)).data[0]).toMatchObject({ reason: 'link_blocked' });
});

test('if other codes would change than were confirmed, nothing is done', async () => {
  const [one] = await make('https://old.example/1');
  const retarget = set('https://new.example/');
  expect((await start({ act: 'retarget', retarget, filter: {}, expected: 2 })).status).toBe(409);
  expect((await start({ act: 'retarget', retarget, ids: [one?.id], expected: 0 })).status).toBe(409);
  expect((await rows())[0]?.content).toBe('https://old.example/1');
});

test('as many as the preview has counted are confirmed, though a chosen code is gone', async () => {
  const [kept, gone] = await make('https://old.example/1', 'https://old.example/2');
  await host.request(`/api/qrcodes/${gone?.id}`, { method: 'DELETE', token: account.token });
  const chosen = { retarget: set('https://new.example/'), ids: [kept?.id, gone?.id] };
  const { changed: expected } = (await preview(chosen)).body.data;
  expect(expected).toBe(1);
  const { body } = await start({ act: 'retarget', ...chosen, expected });
  expect(body.data).toMatchObject({ status: 'done', total: 2, succeeded: 1, failed: 1 });
  expect((await problems(body.data.id)).data).toMatchObject([{ reason: 'code_deleted' }]);
});

test('a part is replaced in a scheduled target whose moment has come, though nobody has looked yet', async () => {
  const [code] = await make('https://old.example/menu');
  const at = new Date(host.clock.now().getTime() + 60_000).toISOString();
  const routing = { schedule: { at, target: 'https://next.example/menu' } };
  await call('PATCH', `/api/qrcodes/${code?.id}`, { routing });
  host.clock.advance(61_000);
  const retarget = replace('example', 'test');
  expect((await start({ act: 'retarget', retarget, ids: [code?.id] })).body.data).toMatchObject({
    failed: 0,
  });
  expect((await rows()).map(({ content }) => content)).toEqual(['https://next.test/menu']);
});

/** Errors by the last step of their paths, which differ between the two calls. */
const namesOf = (errors: object) =>
  Object.fromEntries(Object.entries(errors).map(([path, codes]) => [path.split('/').at(-1), codes]));

test.each([
  [set(''), { target: ['content_required'] }],
  [set('not an address'), { target: ['link_invalid'] }],
  [replace('', 'x'), { find: ['find_required'] }],
  [replace('x', '\u0000'), { replacement: ['content_invalid'] }],
  [{ kind: 'other' }, { kind: ['invalid'] }],
  [undefined, {}],
])('%o is refused by the preview and by the job', async (retarget, errors) => {
  await make('https://old.example/1');
  for (const answer of [
    await preview({ retarget, filter: {} }),
    await start({ act: 'retarget', retarget, filter: {} }),
  ])
    expect([answer.status, namesOf(answer.body.errors)]).toMatchObject([422, errors]);
});

test('codes of others are neither shown nor changed', async () => {
  const [theirs] = await make('https://old.example/secret');
  account = await host.account();
  const retarget = replace('old', 'new');
  const { data } = (await preview({ retarget, ids: [theirs?.id] })).body;
  expect(data).toEqual({ changed: 0, changes: [], left: 0, leftOut: [] });
  const { body } = await start({ act: 'retarget', retarget, ids: [theirs?.id] });
  expect(body.data).toMatchObject({ succeeded: 0, failed: 1 });
  expect((await problems(body.data.id)).data).toMatchObject([{ reason: 'not_found', code: null }]);
});

test('it needs a subscription', async () => {
  const poor = await host.account({ access: false });
  const retarget = set('https://new.example/');
  expect((await preview({ retarget, filter: {} }, poor.token)).status).toBe(402);
  expect((await start({ act: 'retarget', retarget, filter: {} }, poor.token)).status).toBe(402);
});
