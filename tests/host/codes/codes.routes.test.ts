import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import { codeChanges } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { activitiesOf, listCodes, postCode } from './posted-codes';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

const create = (fields: Record<string, string | Blob>, token = account.token) =>
  postCode(host, token, fields);

const list = (query = '', token = account.token) => listCodes(host, token, query);

test('a code is created as specified, public or private as requested, with both of its URLs', async () => {
  const { status, body } = await create({ data: 'example.com/menu', logoPreset: 'heart.svg' });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    visibility: 'public',
    type: 'link',
    content: 'https://example.com/menu',
    dynamic: true,
  });
  expect(body.data.logo).toEqual({ kind: 'preset', name: 'heart.svg' });
  expect(body.data.link).toMatch(/^https:\/\/go\.quadrille\.example\/l\/[0-9A-Z]{8}$/);
  expect((await create({ isPublic: 'false' })).body.data.visibility).toBe('private');
  expect(body.data.scanLink).toMatch(/^https:\/\/GO\.QUADRILLE\.EXAMPLE\/R\/[0-9A-Z]{8}$/);
});

test.each([
  ['empty content', { data: '' }, { data: ['invalid'] }],
  ['blank content', { data: '   ' }, { data: ['content_required'] }],
  ['256 characters', { data: 'x'.repeat(256), type: 'text' }, { data: ['content_too_long'] }],
  ['a null byte', { data: 'a\u0000b', type: 'text' }, { data: ['content_invalid'] }],
  ['a script link', { data: 'javascript:alert(1)' }, { data: ['link_invalid'] }],
  ['a disabled type', { type: 'image' }, { type: ['type_unavailable'] }],
  ['an unknown preset', { logoPreset: 'nothing.svg' }, { logoPreset: ['preset_unknown'] }],
  ['a preset with a path', { logoPreset: '../../package.json' }, { logoPreset: ['preset_unknown'] }],
  ['broken parameters', { parameters: '{' }, { parameters: ['parameters_invalid'] }],
  ['another width', { parameters: '{"width":900}' }, { width: ['invalid'] }],
  [
    'a Wi-Fi string that phones misread',
    { type: 'wifi', data: 'WIFI:T:WPA;S:x;P:short;;' },
    { data: ['passphrase_length'] },
  ],
  ['an e-mail address without a domain', { type: 'email', data: 'ada' }, { data: ['email_invalid'] }],
])('%s is refused and changes nothing', async (_, fields, errors) => {
  const before = (await list()).meta.total;
  const { status, body } = await create(fields as Record<string, string>);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: 'invalid', errors });
  expect((await list()).meta.total).toBe(before);
});

test('255 characters are accepted, however many bytes they take', async () => {
  const { status } = await create({ type: 'text', data: '語'.repeat(255) });
  expect(status).toBe(201);
});

test('a link is stored as typed and redirects to its ASCII form', async () => {
  const entered = `https://bücher.example/${'é'.repeat(100)}`;
  const { status, body } = await create({ type: 'link', data: entered });
  expect(status).toBe(201);
  expect(body.data.content).toBe(entered);
  const { pathname } = new URL(body.data.link);
  const visit = await host.request(pathname);
  expect(visit.headers.get('location')).toBe(`https://xn--bcher-kva.example/${'%C3%A9'.repeat(100)}`);
});

test('a link stored encoded is shown decoded, and saving it as shown changes nothing', async () => {
  const account = await host.account();
  const stored = 'https://xn--bcher-kva.example/%C3%A9';
  const { id } = await host.code(account.id, { content: stored });
  const path = `/api/qrcodes/${id}`;
  const shown = await host.request(path, { token: account.token });
  const { data } = (await shown.json()) as { data: { code: Code } };
  expect(data.code.content).toBe('https://bücher.example/é');
  const body = '{"content":"https://bücher.example/é"}';
  const saved = await host.request(path, { method: 'PATCH', token: account.token, body });
  expect(saved.status).toBe(200);
  expect(await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id))).toEqual([]);
});

test('the same form creates one code, even when posted concurrently', async () => {
  const other = await host.account();
  const answers = await Promise.all([0, 1, 2].map(() => create({ key: 'form-1' }, other.token)));
  expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  expect((await list('', other.token)).meta.total).toBe(1);
  expect(await activitiesOf(host, other.id)).toEqual(['qrcode_create']);
  await create({ key: 'form-1' }, other.token);
  expect(await activitiesOf(host, other.id)).toEqual(['qrcode_create']);
});

test('a form edited after it was posted creates another code', async () => {
  const other = await host.account();
  const edits: [string, string][] = [
    ['name', ''],
    ['data', 'https://edited.example/'],
    ['name', 'Menu'],
    ['logoPreset', 'heart.svg'],
    ['name', ''],
  ];
  for (const [field, value] of edits) await create({ key: 'form-1', [field]: value }, other.token);
  expect((await list('', other.token)).meta.total).toBe(4);
});

test('a code is not created if the logo of its draft is gone', async () => {
  const other = await host.account();
  const gone = { draft: randomUUID(), visitor: 'the key of one browser', key: 'form-1' };
  const refused = await create({ ...gone, needsDraftLogo: 'true' }, other.token);
  expect([refused.status, refused.body.errors]).toEqual([422, { logo: ['draft_unknown'] }]);
  const made = await create({ ...gone, needsDraftLogo: 'true', logoPreset: 'heart.svg' }, other.token);
  expect(made.status).toBe(201);
  expect((await create(gone, other.token)).status).toBe(201);
});

test('without active access nothing is created', async () => {
  const poor = await host.account({ access: false });
  expect(await create({}, poor.token)).toMatchObject({
    status: 402,
    body: { code: 'subscription_required' },
  });
});

test('the list is paged, newest first, ten by default', async () => {
  const other = await host.account();
  for (let n = 0; n < 12; n += 1) {
    host.clock.advance(1000);
    await host.code(other.id, { content: `https://list.example/${n}` });
  }
  const first = await list('', other.token);
  expect(first.meta).toEqual({ page: 1, limit: 10, total: 12, visits30: 0 });
  expect(first.data[0]?.content).toBe('https://list.example/11');
  expect((await list('?page=2', other.token)).data).toHaveLength(2);
  for (const page of ['-1', 'abc', '0', '1.5']) {
    expect((await list(`?page=${page}`, other.token)).meta.page).toBe(1);
  }
  expect((await list('?page=1000000000', other.token)).meta.page).toBe(1);
  expect((await list('?limit=5000', other.token)).meta.limit).toBe(10);
});

test('a Wi-Fi code cannot be made private, because its image contains the password', async () => {
  const wifi = { type: 'wifi', data: 'WIFI:T:WPA;S:Cafe;P:espresso;;' };
  const refused = await create({ ...wifi, isPublic: 'false' });
  expect([refused.status, refused.body.errors]).toEqual([422, { isPublic: ['wifi_public'] }]);
  const { body } = await create(wifi);
  const answer = await host.request(`/api/qrcodes/${body.data.id}`, {
    method: 'PATCH',
    token: account.token,
    body: '{"visibility":"private"}',
  });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ errors: { visibility: ['wifi_public'] } });
});
