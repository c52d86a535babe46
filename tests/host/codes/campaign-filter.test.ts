import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runDueJobs } from '#host/codes/bulk/run';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.advance(3_600_000);
  owner = await host.account();
});

const call = (method: string, path: string, body?: unknown, token = owner.token) =>
  send(host, method, path, body, { token });
const idsOf = async (path: string, token = owner.token) =>
  ((await call('GET', path, undefined, token)).body.data as { id: string }[]).map(({ id }) => id);
const found = (campaign: string) => idsOf(`/api/qrcodes?campaign=${encodeURIComponent(campaign)}`);
const change = (id: string, body: object) => call('PATCH', `/api/qrcodes/${id}`, body);

test('the list finds codes whose address has the campaign, added or its own, in any spelling', async () => {
  const added = await host.code(owner.id);
  await change(added.id, { campaign: { utm_campaign: 'Été 2026' } });
  const own = await host.code(owner.id, {
    content: 'https://a.example/?x=1&utm_campaign=%C3%A9t%C3%A9+2026',
  });
  const overridden = await host.code(owner.id, { content: 'https://a.example/?utm_campaign=ete%202026' });
  await change(overridden.id, { campaign: { utm_campaign: 'other' } });
  await host.code(owner.id, { content: 'https://a.example/?utm_source=ete%202026' });
  await host.code(owner.id, { type: 'text', content: '?utm_campaign=ete%202026' });
  expect(await found('ete 2026')).toEqual([own.id, added.id]);
  expect(await found('OTHER')).toEqual([overridden.id]);
  expect(await found('ete')).toEqual([]);
  expect(await found('\u0301')).toEqual([]);
});

test('words in braces are those of the code, and follow its name and tags', async () => {
  const code = await host.code(owner.id, { tags: ['Paris'], name: 'Table 4' });
  await change(code.id, { campaign: { utm_campaign: '{tag}-{name}' } });
  expect(await found('paris-table 4')).toEqual([code.id]);
  await change(code.id, { tags: ['Lyon'] });
  expect(await found('paris-table 4')).toEqual([]);
  expect(await found('lyon-table 4')).toEqual([code.id]);
  await change(code.id, { campaign: null });
  expect(await found('lyon-table 4')).toEqual([]);
});

test('programs list and select by it, and what is too long is refused there and ignored in the list', async () => {
  const code = await host.code(owner.id, { content: 'https://a.example/?utm_campaign=spring' });
  const other = await host.code(owner.id);
  const { secret } = await makeApiKey(host, owner);
  expect(await idsOf('/api/v1/codes?campaign=Spring', secret)).toEqual([code.id]);
  const selected = await call('POST', '/api/v1/codes/selection', { campaign: 'spring' }, secret);
  expect((selected.body.data as { id: string }[]).map(({ id }) => id)).toEqual([code.id]);
  const long = 'x'.repeat(1_001);
  const refused = await call('GET', `/api/v1/codes?campaign=${long}`, undefined, secret);
  expect([refused.status, refused.body.errors]).toMatchObject([
    422,
    [{ pointer: '?campaign', code: 'text_too_long' }],
  ]);
  expect(await found(long)).toEqual([other.id, code.id]);
});

test('a selection is told whole, with its totals, and refuses what it cannot read', async () => {
  await host.code(owner.id);
  await host.code(owner.id);
  const { secret } = await makeApiKey(host, owner);
  const select = (body: object) => call('POST', '/api/v1/codes/selection', body, secret);
  const { headers, body } = await select({ countsVisited: true });
  expect([headers.get('link'), body]).toMatchObject([
    null,
    { hasMore: false, meta: { total: 2, visited: 0 } },
  ]);
  for (const wrong of [
    { type: 'lnik' },
    { show: 'archive' },
    { tag: ['Menu'] },
    { import: 'x' },
    { order: 'size' },
  ])
    expect((await select(wrong)).status, JSON.stringify(wrong)).toBe(422);
});

test('all that match are acted upon at once', async () => {
  const code = await host.code(owner.id, { content: 'https://a.example/?utm_campaign=spring' });
  const other = await host.code(owner.id);
  const filter = { campaign: 'spring', show: 'in_use' };
  const job = await call('POST', '/api/jobs', { act: 'tag', tag: 'Old', filter, expected: 1 });
  expect([job.status, job.body.data]).toMatchObject([201, { total: 1 }]);
  await runDueJobs(host.deps, new AbortController().signal);
  expect(await idsOf('/api/qrcodes?tag=Old')).toEqual([code.id]);
  expect(await idsOf('/api/qrcodes')).toEqual([other.id, code.id]);
});
