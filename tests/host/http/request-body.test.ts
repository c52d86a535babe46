import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Call } from '#contract/call';
import { asApiError, errorBody } from '#host/http/errors';
import { type BodyLimits, readForm, readJson, readText } from '#host/http/request-body';
import { guardServer } from '#runtime/server-guard';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { sendExpectContinue } from '../../support/raw-request';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules).flatMap((exported) => Object.values(exported).filter(isCall));
const taking = (part: 'body' | 'form') => calls.filter((call) => call[part]);

let host: TestHost;
let account: TestAccount;
let secret: string;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
  ({ secret } = await makeApiKey(host, account));
});
afterAll(() => host.close());

function isCall(value: unknown): value is Call {
  return typeof value === 'object' && value !== null && 'path' in value && 'method' in value;
}

function send({ method, path }: Call, body: RequestInit['body'], headers: Record<string, string> = {}) {
  const url = path.replace('{rule}', '1').replace(/\{\w+\}/g, '0b8e5ae4-7a5c-4a8f-9d8e-2f6f1c1b7a10');
  const token = path.startsWith('/api/v1/') ? secret : account.token;
  return host.request(url, { method, body, headers, token, duplex: 'half' } as RequestInit);
}

/** In kB: twenty rules with five targets each, when they are brought back, and a batch of codes. */
const LARGER: Record<string, number> = { updateCode: 256, createPublicCodes: 4_096 };

test.each(taking('body'))('$name accepts 64 kB of JSON, unless it needs more, and no more', async (call) => {
  const bytes = call.maxBodyBytes ?? 64 * 1024;
  expect(bytes).toBe((LARGER[call.name] ?? 64) * 1024);
  expect((await send(call, '['.repeat(bytes + 2_800_000))).status).toBe(413);
  expect((await send(call, ' '.repeat(bytes + 1))).status).toBe(413);
  expect((await send(call, '['.repeat(bytes))).status).toBe(400);
});

test.each(taking('form'))('$name accepts a form with a logo, and no more', async (call) => {
  const form = new FormData();
  form.set('logo', new File([Buffer.alloc(call.maxBodyBytes ?? 0)], 'a.png'));
  expect((await send(call, form)).status).toBe(413);
  const crowded = new FormData();
  for (let n = 0; n < 100; n += 1) crowded.set(`field${n}`, 'x');
  expect((await send(call, crowded)).status).toBe(413);
});

/** 200 kB that would become 200 MB. */
const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
const small = gzipSync('{}');
const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'GZIP'];

test.each(calls.filter(({ body, form }) => body ?? form))(
  '$name refuses a compressed body, and does not inflate it',
  async (call) => {
    const type = call.form ? 'multipart/form-data; boundary=x' : 'application/json';
    const post = (body: Buffer<ArrayBuffer>, coding: string) =>
      send(call, body, { 'content-type': type, 'content-encoding': coding });
    const memory = process.memoryUsage().arrayBuffers;
    expect([413, 415]).toContain((await post(bomb, 'gzip')).status);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(50 * 1024 * 1024);
    for (const coding of CODINGS) {
      const answer = await post(small, coding);
      expect([answer.status, answer.headers.get('accept-encoding')], coding).toEqual([415, 'identity']);
    }
    expect((await post(small, 'identity')).status).not.toBe(415);
  },
);

test.each([
  ['/api/webhooks/payments', 'application/json'],
  ['/sandbox/clock', 'application/json'],
  ['/sandbox/pay/x', 'application/x-www-form-urlencoded'],
])('a body of 2.8 MB is not read by %s', async (path, type) => {
  const headers = { 'content-type': type };
  const answer = await host.request(path, { method: 'POST', headers, body: '['.repeat(2_800_000) });
  expect([404, 410, 413]).toContain(answer.status);
});

test('JSON that is too deep is refused before it is parsed, ignoring brackets in strings', async () => {
  const { app } = reading({ maxBytes: 100_000, timeoutMs: 10_000 });
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const parse = vi.spyOn(JSON, 'parse');
  expect((await app.request('/json', { method: 'POST', body: nested(21) })).status).toBe(400);
  expect((await app.request('/json', { method: 'POST', body: '{"a":'.repeat(10_000) })).status).toBe(400);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect((await app.request('/json', { method: 'POST', body: nested(20) })).status).toBe(200);
  const text = { text: `\\"${'[{'.repeat(100)}` };
  const answer = await app.request('/json', { method: 'POST', body: JSON.stringify([text, text]) });
  expect(await answer.json()).toEqual([text, text]);
});

test('a body with too large a Content-Length is refused unread', async () => {
  const pull = vi.fn();
  const { app } = reading({ maxBytes: 100, timeoutMs: 10_000 });
  const init: RequestInit = {
    method: 'POST',
    headers: { 'content-length': '101' },
    body: new ReadableStream({ pull }, { highWaterMark: 0 }),
    duplex: 'half',
  };
  expect((await app.request('/text', init)).status).toBe(413);
  expect(pull).not.toHaveBeenCalled();
});

test('a body of unknown length is read up to its limit', async () => {
  const { app } = reading({ maxBytes: 100, timeoutMs: 10_000 });
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 10;
      controller.enqueue(new Uint8Array(10));
    },
  });
  const answer = await app.request('/text', { method: 'POST', body: endless, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(413);
  expect(sent).toBeLessThan(200);
});

test('a program whose body breaks off is told that it did', async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error('the connection is gone')),
  });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', token: secret, headers, body, duplex: 'half' } as RequestInit;
  const answer = await host.request('/api/v1/codes', init);
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'malformed', detail: 'The body broke off before its end.' },
  ]);
});

test('a body that does not arrive in time gets 408, and its connection is closed', async () => {
  const { app } = reading({ maxBytes: 100, timeoutMs: 50 });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  for (const path of ['/text', '/json', '/form']) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => {
      said += bytes;
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(socket, 'close');
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(said.toLowerCase()).toContain('connection: close');
    expect(said).toContain('"code":"request_timeout"');
  }
  server.close();
});

test('JSON has ten seconds to arrive, and a form with a logo a minute and a half', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [json] = taking('body').filter(({ access }) => access === 'public');
    const [form] = taking('form').filter(({ access }) => access === 'public');
    const answered: string[] = [];
    const stuck = () => new ReadableStream();
    const requested = [json, form].map(async (call) => {
      if (!call) throw new Error('there is no such call');
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const { status } = await send(call, stuck(), headers);
      answered.push(`${call.name} ${status}`);
    });
    await vi.advanceTimersByTimeAsync(12_000);
    expect(answered).toEqual([`${json?.name} 408`]);
    await vi.advanceTimersByTimeAsync(48_000);
    expect(answered).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(30_000);
    await Promise.all(requested);
    expect(answered.at(-1)).toBe(`${form?.name} 408`);
  } finally {
    vi.useRealTimers();
  }
});

/** An app that reads bodies as text, JSON or form within the limits. */
function reading(limits: BodyLimits) {
  const app = new Hono();
  app.post('/text', async (context) => context.text(await readText(context, limits)));
  app.post('/json', async (context) => context.json((await readJson(context, limits)) as object));
  app.post('/form', async (context) => context.json(await readForm(context, limits)));
  app.onError((thrown, context) => {
    const { code, status } = asApiError(thrown);
    return context.json(errorBody(code, ''), status);
  });
  return { app };
}

test('no 100 Continue is sent for a body that the call would refuse by its size or sender', async () => {
  const server = serve({ fetch: host.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  const log = { info: () => undefined };
  guardServer(server, { addresses: [], internalKeys: [], includeSubDomains: false, log });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const mine = `Authorization: Bearer ${account.token}`;
  const json = 'Content-Type: application/json';
  expect(await sendExpectContinue(port, '/api/login_check', 64 * 1024 + 1, json)).toBe(413);
  expect(await sendExpectContinue(port, '/api/login_check', 64 * 1024, json)).toBe(100);
  expect(await sendExpectContinue(port, '/api/qrcodes', 4 * 1024 * 1024, mine)).toBe(413);
  expect(await sendExpectContinue(port, '/api/qrcodes', 3 * 1024 * 1024, mine)).toBe(100);
  expect(await sendExpectContinue(port, '/api/qrcodes', 100)).toBe(401);
  expect(await sendExpectContinue(port, '/api/nothing', 100)).toBe(404);
  server.closeAllConnections();
  server.close();
});
