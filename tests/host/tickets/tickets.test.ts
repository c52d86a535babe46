import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '#host/app';
import { rateLimits } from '#host/db/accounts.tables';
import { mails } from '#host/db/mail.tables';
import { tickets } from '#host/db/tickets.tables';
import { dropOldTickets } from '#host/tickets/store';
import { createTestHost, type TestHost } from '../../support/host';

const START = new Date('2026-03-02T10:00:00.000Z');
const FORM = {
  email: 'Ada@Test.example',
  firstname: 'Ada',
  lastname: 'Lovelace',
  subject: 'technical',
  message: 'My code does not scan.\r\nWhat now?',
  locale: 'fr',
};
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

beforeEach(async () => {
  host.clock.set(START);
  for (const table of [mails, tickets, rateLimits]) await host.db.orm.delete(table);
});

afterAll(() => host.close());

test('a ticket is stored, support is mailed, and the sender gets a receipt in their language', async () => {
  const answer = await send(FORM);
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ status: 'success', message: 'ticket_sent' });
  const [stored] = await listTickets();
  expect(stored).toMatchObject({
    email: 'Ada@Test.example',
    subject: 'technical',
    message: 'My code does not scan.\nWhat now?',
    locale: 'fr',
  });
  const written = await host.mails();
  const toSupport = written.find(({ to }) => to === 'contact@quadrille.example');
  const toSender = written.find(({ to }) => to === 'Ada@Test.example');
  expect(written).toHaveLength(2);
  expect(toSupport).toMatchObject({ replyTo: 'Ada@Test.example', template: 'mail.ticket_new' });
  expect(toSupport?.text).toContain(`Numéro ${stored?.id}`);
  expect(toSender).toMatchObject({ replyTo: null, subject: 'Nous avons bien reçu votre message' });
  expect(toSupport?.text).toContain('My code does not scan.\nWhat now?');
});

test('only a sender signed in with that address gets a copy of the message', async () => {
  const account = await host.account();
  const expired = await host.account();
  await host.request('/api/account/logout', { method: 'POST', token: expired.token });
  const post = (email: string, token: string) =>
    host.request('/api/tickets', { method: 'POST', token, body: JSON.stringify({ ...FORM, email }) });
  const asks: [email: string, token: string, isOwn: boolean][] = [
    [account.email.toUpperCase(), account.token, true],
    ['somebody@else.example', account.token, false],
    [expired.email, expired.token, false],
    ['stranger@else.example', '', false],
  ];
  for (const [email, token, isOwn] of asks) {
    expect((await post(email, token)).status).toBe(201);
    const mail = (await host.mails()).find(({ to }) => to === email);
    expect([email, `${mail?.text}${mail?.html}`.includes('does not scan')]).toEqual([email, isOwn]);
  }
});

test('rate limits store no e-mail address in clear text', async () => {
  await send(FORM);
  const kept = await host.db.orm.select().from(rateLimits);
  expect(kept).toHaveLength(5);
  expect(JSON.stringify(kept).toLowerCase()).not.toContain('ada@test');
});

test.each([
  [
    'everything missing',
    {},
    ['email_required', 'firstname_required', 'lastname_required', 'message_required', 'subject_required'],
  ],
  [
    'wrong types',
    { ...FORM, email: 1, firstname: true, message: { a: 1 } },
    ['email_invalid', 'firstname_invalid', 'message_invalid'],
  ],
  [
    'blank fields',
    { ...FORM, email: ' ', firstname: ' ', message: '\n' },
    ['email_required', 'firstname_required', 'message_required'],
  ],
  ['no address', { ...FORM, email: 'ada at test' }, ['email_invalid']],
  ['two addresses', { ...FORM, email: 'a@test.example,b@test.example' }, ['email_invalid']],
  ['a header in the address', { ...FORM, email: 'a@test.example\r\nBcc: b@test.example' }, ['email_invalid']],
  ['a header in a name', { ...FORM, firstname: 'Ada\r\nBcc: b@test.example' }, ['firstname_invalid']],
  ['a link as a name', { ...FORM, lastname: 'http://spam.example' }, ['lastname_invalid']],
  ['a number as a name', { ...FORM, lastname: 'Call 0899 123' }, ['lastname_invalid']],
  [
    'null bytes',
    { ...FORM, firstname: 'A\0da', message: 'A long message\0' },
    ['firstname_invalid', 'message_invalid'],
  ],
  ['half a character', { ...FORM, message: 'A long message \uD800' }, ['message_invalid']],
  ['an address too long', { ...FORM, email: `${'a'.repeat(250)}@test.example` }, ['email_too_long']],
  ['a name too long', { ...FORM, firstname: 'a'.repeat(101) }, ['firstname_too_long']],
  ['a message too short', { ...FORM, message: ' too short ' }, ['message_too_short']],
  ['a message too long', { ...FORM, message: 'm'.repeat(5001) }, ['message_too_long']],
  ['an unknown subject', { ...FORM, subject: 'x\r\ny' }, ['subject_required']],
])('%s is refused with an error code and not stored', async (_, form, codes) => {
  const answer = await send(form);
  const { errors } = await answer.json();
  expect(answer.status).toBe(422);
  expect(Object.values<string[]>(errors).flat().sort()).toEqual(codes);
  expect(await listTickets()).toEqual([]);
  expect(await host.mails()).toEqual([]);
});

test('maximum lengths are accepted, with each line break counted once', async () => {
  const longest = `${'m'.repeat(2498)}\r\n\r\n${'m'.repeat(2500)}`;
  expect((await send({ ...FORM, message: longest })).status).toBe(201);
  expect((await send({ ...FORM, message: '0123456789', firstname: 'é'.repeat(100) })).status).toBe(201);
});

test('a body that is not JSON is refused', async () => {
  const answer = await host.request('/api/tickets', { method: 'POST', body: '{"email":' });
  expect(answer.status).toBe(400);
  for (const body of ['null', '[]', '"text"', '5'])
    expect((await host.request('/api/tickets', { method: 'POST', body })).status, body).toBe(422);
});

test('an unknown language falls back to the default', async () => {
  await send({ ...FORM, locale: 'xx' });
  const written = await host.mails();
  expect(written.map(({ locale }) => locale)).toEqual(['gb', 'gb']);
});

test('a filled honeypot is refused, and accepted from whoever says to be a person', async () => {
  const filled = { ...FORM, comment: 'https://spam.example' };
  const answer = await send(filled);
  expect([answer.status, (await answer.json()).errors]).toEqual([422, { person: ['person_required'] }]);
  expect(await listTickets()).toEqual([]);
  expect(await host.mails()).toEqual([]);
  expect((await send({ ...filled, person: true })).status).toBe(201);
  expect(await listTickets()).toHaveLength(1);
  expect(await host.mails()).toHaveLength(2);
});

test('a message is kept or refused, whatever else is sent with it', async () => {
  for (const [place, field] of ['website', 'url', 'phone', 'company', 'comment'].entries()) {
    const answer = await send({ ...FORM, key: `form-${place}`, [field]: 'filled in' }, `203.0.113.${place}`);
    expect([field, answer.status === 201]).toEqual([field, (await listTickets()).length === place + 1]);
  }
});

test('a form posted again, concurrently or later, is sent once', async () => {
  const form = { ...FORM, key: 'form-1' };
  const answers = await Promise.all([send(form), send(form), send(form)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  for (let again = 0; again < 6; again += 1) expect((await send(form)).status).toBe(201);
  expect(await listTickets()).toHaveLength(1);
  expect(await host.mails()).toHaveLength(2);
  await send({ ...FORM, key: 'form-2' });
  await send({ ...form, email: 'other@test.example' });
  expect(await listTickets()).toHaveLength(3);
});

test('a different message with a used key is sent too', async () => {
  await send({ ...FORM, key: 'form-1' });
  const edited = { ...FORM, key: 'form-1', message: 'Now I would like to ask something else.' };
  for (const _ of ['click', 'click']) expect((await send(edited)).status).toBe(201);
  expect(await listTickets()).toHaveLength(2);
});

test('an IP address may write five times an hour', async () => {
  for (let n = 0; n < 5; n += 1)
    expect((await send({ ...FORM, email: `a${n}@test.example` })).status).toBe(201);
  const refused = await send({ ...FORM, email: 'a6@test.example' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBe(3600);
  expect(await listTickets()).toHaveLength(5);
  expect((await send({ ...FORM, email: 'a6@test.example' }, '203.0.113.9')).status).toBe(201);
  host.clock.advance(3_600_000);
  expect((await send({ ...FORM, email: 'a6@test.example' })).status).toBe(201);
});

test('an e-mail address may write five times an hour, however it is spelled', async () => {
  for (let n = 0; n < 5; n += 1) expect((await send(FORM, `203.0.113.${n}`)).status).toBe(201);
  const again = await send({ ...FORM, email: 'ADA@test.EXAMPLE' }, '203.0.113.99');
  expect(again.status).toBe(429);
});

test('a ticket whose mails cannot be queued is not stored', async () => {
  const broken = {
    ...host.deps,
    settings: { ...host.deps.settings, contactEmail: null as unknown as string },
  };
  const app = createApp(broken, host.recorder);
  const answer = await app.request('/api/tickets', { method: 'POST', body: JSON.stringify(FORM) });
  expect(answer.status).toBe(500);
  expect(await listTickets()).toEqual([]);
});

test('tickets are dropped after twelve months', async () => {
  await send(FORM);
  await dropOldTickets(host.db.orm, new Date('2027-03-02T09:59:59Z'));
  expect(await listTickets()).toHaveLength(1);
  await dropOldTickets(host.db.orm, new Date('2027-03-02T10:00:01Z'));
  expect(await listTickets()).toEqual([]);
});

function send(form: object, address = '127.0.0.1') {
  const headers = { 'content-type': 'application/json', 'x-client-ip': address };
  return host.request('/api/tickets', { method: 'POST', headers, body: JSON.stringify(form) });
}

function listTickets() {
  return host.db.orm.select().from(tickets);
}
