import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { insertLogo } from '#host/codes/logos/store';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { lead, PAST } from '../engagements/engaged-codes';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
let host: TestHost;
let account: TestAccount;
let logoId: string;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
  logoId = randomUUID();
  await insertLogo(host.db.orm, { id: logoId, name: 'mark.png', png: PNG, createdAt: host.clock.now() });
  await choose('Osteria Rossi');
});
afterAll(() => host.close());

function choose(publicName?: string) {
  const profile = { firstName: 'Ada', lastName: 'Rossi', email: account.email, publicName };
  return send(host, 'PUT', '/api/account/profile', profile, account);
}

async function ownerOf(slug: string) {
  const answer = await host.request(`/r/${slug}`, { headers: { accept: 'application/json' } });
  return (await answer.json()).owner;
}

test('the page of a code carries the name its owner chose, its colour and its logo, not the private names', async () => {
  const style = { ...DEFAULT_STYLE, moduleColour: '#8a1c1c' };
  const code = await host.code(account.id, {
    type: 'text',
    content: 'Menu',
    name: 'Table 12',
    style,
    logoId,
  });
  expect(await ownerOf(code.slug)).toEqual({ name: 'Osteria Rossi', colour: '#8a1c1c', hasLogo: true });
  const plain = await host.code(account.id, { type: 'text', content: 'Menu' });
  expect(await ownerOf(plain.slug)).toEqual({ name: 'Osteria Rossi', colour: null, hasLogo: false });
});

test('a name can be changed, removed, and is left alone by a form without it', async () => {
  const { slug } = await host.code(account.id, { type: 'phone', content: '+33123456789' });
  expect((await choose('  Trattoria  ')).body.data).toMatchObject({ publicName: 'Trattoria' });
  await choose();
  expect((await ownerOf(slug)).name).toBe('Trattoria');
  await choose('');
  expect((await ownerOf(slug)).name).toBe('');
  const tooLong = await choose('x'.repeat(81));
  expect(tooLong.body.errors).toEqual({ publicName: ['public_name_too_long'] });
  expect((await choose('x'.repeat(80))).status).toBe(200);
});

test('only the page of a code that visitors may see has a logo', async () => {
  const statusOf = async (fields: Parameters<TestHost['code']>[1], token?: string) => {
    const { slug } = await host.code(account.id, { type: 'text', content: 'Menu', logoId, ...fields });
    return (await host.request(`/e/${slug}/logo`, token ? { token } : {})).status;
  };
  const shown = await host.code(account.id, { type: 'text', content: 'Menu', logoId });
  const answer = await host.request(`/e/${shown.slug}/logo`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(PNG);
  expect(await statusOf({ visibility: 'private' })).toBe(404);
  expect(await statusOf({ visibility: 'private' }, account.token)).toBe(200);
  expect(await statusOf({ type: 'link', content: 'https://a.example/' })).toBe(404);
  expect(await statusOf({ blockedAt: host.clock.now() })).toBe(404);
  expect(await statusOf({ logoId: null })).toBe(404);
});

test.each([
  ['paused', { pause: { message: '' } }, true],
  ['ended', { end: { at: PAST } }, true],
  ['led on', { end: { at: PAST, target: 'https://after.example/' } }, false],
])('a link that is %s has a logo if it has a page', async (_, routing, hasLogo) => {
  const code = await host.code(account.id, { logoId });
  await lead(host, code, routing);
  const logo = await host.request(`/e/${code.slug}/logo`);
  expect(logo.status).toBe(hasLogo ? 200 : 404);
  if (hasLogo) expect((await ownerOf(code.slug)).hasLogo).toBe(true);
});

test('while the database is away, a page is shown without its owner', async () => {
  const { slug } = await host.code(account.id, { type: 'text', content: 'Menu', logoId });
  await ownerOf(slug);
  const { query } = host.db;
  vi.spyOn(host.db, 'query').mockImplementation((statement) =>
    statement.name === 'code_owner' ? Promise.reject(new Error('it went away')) : query(statement),
  );
  const answer = await host.request(`/l/${slug}`, { headers: { accept: 'application/json' } });
  const { data, owner } = await answer.json();
  expect([answer.status, data.text, owner]).toEqual([
    200,
    'Menu',
    { name: '', colour: null, hasLogo: false },
  ]);
});
