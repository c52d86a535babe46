import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drafts } from '#host/db/codes.tables';
import { orders } from '#host/db/subscriptions.tables';
import { tickets } from '#host/db/tickets.tables';
import { ApiError, asApiError } from '#host/http/errors';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout } from '../../support/ordering';

const VISITOR = 'the key of one browser, long enough';
const BAD: [what: string, text: string][] = [
  ['a null byte', 'a\u0000b'],
  ['half a character', 'a\ud800b'],
];
let host: TestHost;
let token: string;

beforeAll(async () => {
  host = await createTestHost();
  token = (await host.account()).token;
});
afterAll(() => host.close());

async function post(path: string, fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await host.request(path, { method: 'POST', body: form, token });
  return { status: answer.status, errors: (await answer.json()).errors };
}

test.each(BAD)('a draft with %s in it is refused', async (_, text) => {
  for (const field of ['content', 'ssid', 'passphrase', 'subject', 'body']) {
    const fields = JSON.stringify({ type: 'link', [field]: text });
    expect(await post('/api/drafts', { visitor: VISITOR, fields })).toEqual({
      status: 422,
      errors: { [field]: ['content_invalid'] },
    });
  }
  expect(await host.db.orm.select().from(drafts)).toEqual([]);
});

test('the key of a browser with a null byte is refused', async () => {
  const visitor = `${VISITOR}\u0000`;
  expect((await post('/api/drafts', { visitor, fields: '{"type":"link"}' })).status).toBe(422);
  const draft = 'e58ed763-928c-4155-bee9-fdbaaadc15f3';
  const query = `visitor=${encodeURIComponent(visitor)}`;
  expect((await host.request(`/api/drafts/${draft}?${query}`)).status).toBe(422);
  const code = { type: 'link', data: 'https://a.example', draft, visitor };
  expect((await post('/api/qrcodes', code)).status).toBe(422);
  expect((await send(host, 'POST', '/api/subscriptions', checkout({ draft, visitor }))).status).toBe(422);
});

test.each(BAD)('an order with %s in the name, street, town or company is refused', async (_, text) => {
  for (const field of ['name', 'address', 'city', 'company', 'zip_code']) {
    const body = checkout({ professional: true, company: 'Carreau', [field]: text });
    const { status, body: answer } = await send(host, 'POST', '/api/subscriptions', body);
    expect([status, Object.keys(answer.errors ?? {})]).toEqual([422, [field]]);
  }
  expect(await host.db.orm.select().from(orders)).toEqual([]);
});

test.each(BAD)('a code with %s in its e-mail or content is neither created nor changed', async (_, text) => {
  const email = { type: 'email', data: 'ada@shop.example' };
  const made = await send(host, 'GET', '/api/qrcodes', undefined, { token });
  for (const field of ['subject', 'body']) {
    const parameters = JSON.stringify({ [field]: text });
    expect((await post('/api/qrcodes', { ...email, parameters })).status).toBe(422);
  }
  expect((await send(host, 'GET', '/api/qrcodes', undefined, { token })).body).toEqual(made.body);
  const account = await host.account();
  const code = await host.code(account.id, { type: 'email', content: 'ada@shop.example' });
  for (const field of ['content', 'subject', 'body']) {
    const path = `/api/qrcodes/${code.id}`;
    const answer = await send(host, 'PATCH', path, { [field]: text }, { token: account.token });
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: ['content_invalid'] }]);
  }
});

test('a form key may contain only letters, digits and hyphens', async () => {
  const key = 'form\u0000one';
  const code = { type: 'link', data: 'https://a.example', key };
  expect(await post('/api/qrcodes', code)).toMatchObject({ status: 422, errors: { key: ['invalid'] } });
  const ticket = {
    email: 'ada@shop.example',
    firstname: 'Ada',
    lastname: 'Tester',
    subject: 'other',
    message: 'long enough to send',
  };
  expect((await send(host, 'POST', '/api/tickets', { ...ticket, key })).status).toBe(422);
  expect(await host.db.orm.select().from(tickets)).toEqual([]);
});

test.each([
  ['a null byte in a text', sql`select ${'a\u0000b'}::text`],
  ['a null byte in JSON', sql`select ${'{"a":"\\u0000"}'}::jsonb`],
  ['half a character in JSON', sql`select ${'{"a":"\\ud800"}'}::jsonb`],
  ['an invalid id', sql`select ${'x'}::uuid`],
])('input that only the database refuses is still a client error: %s', async (_, statement) => {
  const thrown = await host.db.orm.execute(statement).catch((error: unknown) => error);
  const { status, detail } = asApiError(thrown);
  expect([status, detail]).toEqual([400, expect.stringContaining('cannot be stored')]);
});

test('any other failure is a server error', async () => {
  const thrown = await host.db.orm.execute(sql`select 1/0`).catch((error: unknown) => error);
  expect(asApiError(thrown).status).toBe(500);
  expect(asApiError(new Error('x')).status).toBe(500);
  const refusal = new ApiError('not_found');
  expect(asApiError(refusal)).toBe(refusal);
});
