import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tickets } from '#host/db/tickets.tables';
import { createCaptchaVerifier } from '#host/http/captcha';
import { createTestHost, type TestHost } from '../../support/host';

const GOOD = { success: true, score: 0.5, action: 'contact', hostname: 'www.quadrille.example' };
let answer: { status: number; body: string };
let requested: URLSearchParams[];
let host: TestHost;

const verification = createServer(async (request, response) => {
  requested.push(new URLSearchParams(await text(request)));
  const headers = { 'content-type': 'application/json', location: '/elsewhere' };
  if (request.url === '/elsewhere') response.writeHead(200, headers).end(JSON.stringify(GOOD));
  else response.writeHead(answer.status, headers).end(answer.body);
});

beforeAll(async () => {
  await new Promise<void>((listening) => verification.listen(0, '127.0.0.1', listening));
  const { port } = verification.address() as AddressInfo;
  const captcha = createCaptchaVerifier('the secret', `http://127.0.0.1:${port}/siteverify`);
  host = await createTestHost({ captcha });
});

beforeEach(async () => {
  requested = [];
  host.clock.advance(3_600_000);
  await host.db.orm.delete(tickets);
});

afterAll(async () => {
  await host.close();
  await new Promise((closed) => verification.close(closed));
});

test('a valid token lets the ticket through', async () => {
  verdict(GOOD);
  expect((await send({ captcha: 'token-1' })).status).toBe(201);
  expect(Object.fromEntries(requested[0] ?? [])).toEqual({
    secret: 'the secret',
    response: 'token-1',
    remoteip: '203.0.113.1',
  });
});

test.each([
  ['is refused', { ...GOOD, success: false, 'error-codes': ['timeout-or-duplicate'] }, 200],
  ['scores too low', { ...GOOD, score: 0.49 }, 200],
  ['has no score', { success: true, action: 'contact' }, 200],
  ['was made for something else', { ...GOOD, action: 'login' }, 200],
  ['cannot be verified', GOOD, 503],
  ['is answered with nonsense', 'nonsense', 200],
])('a token that %s refuses the ticket', async (_, body, status) => {
  verdict(body, status);
  const refused = await send({ captcha: 'token-1' });
  expect(refused.status).toBe(422);
  expect((await refused.json()).errors).toEqual({ captcha: ['captcha_failed'] });
  expect(await host.db.orm.select().from(tickets)).toEqual([]);
});

test('redirects of the verification are not followed', async () => {
  verdict({}, 307);
  expect((await (await send({ captcha: 'token-1' })).json()).errors).toEqual({ captcha: ['captcha_failed'] });
  expect(requested).toHaveLength(1);
});

test('a missing token refuses the ticket without a verification request', async () => {
  verdict(GOOD);
  expect((await (await send({})).json()).errors).toEqual({ captcha: ['captcha_failed'] });
  expect(requested).toEqual([]);
});

test('requests with a bad token do not use up the messages of an e-mail address', async () => {
  verdict({ ...GOOD, success: false });
  for (let robot = 1; robot <= 11; robot += 1) {
    const refused = await send({ captcha: `robot-${robot}` }, `198.51.100.${robot}`);
    expect((await refused.json()).errors).toEqual({ captcha: ['captcha_failed'] });
  }
  verdict(GOOD);
  expect((await send({ captcha: 'token-1' })).status).toBe(201);
});

test('a form posted again needs no second token', async () => {
  verdict(GOOD);
  await send({ captcha: 'token-1', key: 'form-1' });
  verdict({ ...GOOD, success: false });
  expect((await send({ captcha: 'token-1', key: 'form-1' })).status).toBe(201);
  expect(requested).toHaveLength(1);
});

function verdict(body: unknown, status = 200): void {
  answer = { status, body: JSON.stringify(body) };
}

function send(more: object, clientIp = '203.0.113.1') {
  const form = {
    email: 'ada@test.example',
    firstname: 'Ada',
    lastname: 'Lovelace',
    subject: 'other',
    message: 'A message long enough',
    ...more,
  };
  const headers = { 'x-client-ip': clientIp };
  return host.request('/api/tickets', { method: 'POST', headers, body: JSON.stringify(form) });
}
