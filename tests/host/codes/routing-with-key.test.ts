import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

let host: TestHost;
let account: TestAccount;
let secret: string;
let id: string;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
  ({ secret } = await makeApiKey(host, account));
  ({ id } = await host.code(account.id));
});
afterAll(() => host.close());

const call = callsOfPrograms(() => ({ host, secret }));
const RULE = { languages: ['fr'], variants: [{ target: 'https://a.example/fr' }] };
const rulesOf = async () => (await call('GET', `/codes/${id}/routing`)).body.data.routing.rules;

test('a rule is only tried with dry_run, and then added once', async () => {
  const tried = await call('POST', `/codes/${id}/rules?dry_run=true`, RULE);
  expect([tried.status, tried.body]).toEqual([200, { data: null, dryRun: true }]);
  expect(await rulesOf()).toEqual([]);
  const wrong = await call('POST', `/codes/${id}/rules?dry_run=true`, {
    ...RULE,
    variants: [{ target: 'x y' }],
  });
  expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid']);
  const send = () => call('POST', `/codes/${id}/rules`, RULE, { 'idempotency-key': 'rule-1' });
  const [first, again] = [await send(), await send()];
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(again.body).toEqual(first.body);
  expect(await rulesOf()).toEqual([first.body.data]);
});

test('a rule changes only what was read', async () => {
  const made = await call('POST', `/codes/${id}/rules`, RULE);
  const etag = made.headers.get('etag') ?? '';
  const path = `/codes/${id}/rules/${made.body.data.id}`;
  const english = { ...RULE, languages: ['en'] };
  const changed = await call('PUT', path, english, { 'if-match': etag });
  expect([changed.status, changed.body.data.languages]).toEqual([200, ['en']]);
  expect(changed.headers.get('etag')).not.toBe(etag);
  for (const [method, where, body] of [
    ['PUT', path, RULE],
    ['PUT', `${path}/position`, { position: 1 }],
    ['DELETE', path, undefined],
  ] as const) {
    const late = await call(method, where, body, { 'if-match': etag });
    expect([method, late.status, late.body.code]).toEqual([method, 412, 'precondition_failed']);
  }
  expect((await rulesOf())[0].languages).toEqual(['en']);
  const read = await call('GET', `/codes/${id}/routing`);
  const removed = await call('DELETE', path, undefined, { 'if-match': read.headers.get('etag') ?? '' });
  expect(removed.status).toBe(200);
  expect(await rulesOf()).toEqual([]);
});

test('a copy is only tried with dry_run, and then made once', async () => {
  const count = async () => (await call('GET', '/codes')).body.data.length;
  const tried = await call('POST', `/codes/${id}/copies?dry_run=true`, {});
  expect([tried.status, await count()]).toEqual([200, 1]);
  const send = (body: object) => call('POST', `/codes/${id}/copies`, body, { 'idempotency-key': 'copy-1' });
  const [first, again] = [await send({ name: 'Table 8' }), await send({ name: 'Table 8' })];
  expect([first.status, first.body.data.name, await count()]).toEqual([201, 'Table 8', 2]);
  expect(again.body).toEqual(first.body);
  expect((await send({ name: 'Table 9' })).status).toBe(422);
  const read = await call('GET', `/codes/${first.body.data.id}`);
  expect([first.headers.get('etag'), read.body.data.content]).toEqual([
    read.headers.get('etag'),
    first.body.data.content,
  ]);
});

test('a key says what it may do', async () => {
  const { secret: menu } = await makeApiKey(host, account, { permission: 'read', tag: 'Menu' });
  expect((await call('GET', '/key')).body.data).toEqual({ permission: 'change', tag: null });
  expect((await call('GET', '/key', undefined, {}, menu)).body.data).toEqual({
    permission: 'read',
    tag: 'Menu',
  });
});
