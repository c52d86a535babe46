import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { passBody, untilDrained } from '~/http/pass-body.server';
import { scopeOf } from '../../support/scope';

const PART = Buffer.alloc(256 * 1024);
const PARTS = 200;

test('a response pauses while the browser does not read, and continues when it does', async () => {
  const written = { parts: 0, response: undefined as ServerResponse | undefined };
  const server = createServer(async (incoming, response) => {
    written.response = response;
    const number = String(incoming.headers['x-response-number']);
    const request = new Request('http://localhost/', { headers: { 'x-response-number': number } });
    for (; written.parts < PARTS; written.parts += 1) {
      await untilDrained(request);
      response.write(PART);
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const requested = get({ port, host: '127.0.0.1', headers: { 'x-response-number': 'forged' } });
  const [answer] = (await once(requested, 'response')) as [IncomingMessage];

  await expect.poll(() => written.response?.writableNeedDrain).toBe(true);
  expect(written.parts).toBeLessThan(PARTS);
  expect(written.response?.writableLength).toBeLessThan(2 * PART.length);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(answer, 'end');
  expect(bytes).toBe(PARTS * PART.length);
  expect(globalThis.openResponses?.size).toBe(0);
  server.close();
});

test('the response to a disconnected browser is dropped at once', async () => {
  const written = { parts: 0, isOver: false, response: undefined as ServerResponse | undefined };
  const server = createServer(async (incoming, response) => {
    written.response = response;
    const number = String(incoming.headers['x-response-number']);
    const request = new Request('http://localhost/', { headers: { 'x-response-number': number } });
    for (; written.parts < PARTS && !response.destroyed; written.parts += 1) {
      await untilDrained(request);
      response.write(PART);
    }
    written.isOver = true;
    server.close();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requested = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  requested.on('error', () => undefined);
  await once(requested, 'response');
  await expect.poll(() => written.response?.writableNeedDrain).toBe(true);
  expect(written.isOver).toBe(false);
  requested.destroy();
  await once(server, 'close');
  expect(written.isOver).toBe(true);
  expect(written.parts).toBeLessThan(PARTS);
  expect(globalThis.openResponses?.size).toBe(0);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A response whose request is passed on as Remix does: as the second request made from another. */
async function openResponse() {
  const opened = {} as { signal: AbortSignal; response: ServerResponse };
  const server = createServer(async (incoming, response) => {
    const headers = { 'x-response-number': String(incoming.headers['x-response-number']) };
    const closing = new AbortController();
    response.once('close', () => closing.abort());
    const request = new Request(
      new Request(new Request('http://localhost/', { headers, signal: closing.signal })),
    );
    const { signal } = await scopeOf(request);
    Object.assign(opened, { response, signal });
    response.write('begun');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requested = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  requested.on('error', () => undefined);
  const [answer] = (await once(requested, 'response')) as [IncomingMessage];
  answer.resume();
  return { ...opened, requested, answer, server };
}

test('a request learns that its browser has disconnected after garbage was collected', async () => {
  const { signal, requested, server } = await openResponse();
  for (let n = 0; n < 3; n += 1) {
    collectGarbage();
    await delay(1);
  }
  expect(signal.aborted).toBe(false);
  requested.destroy();
  await once(signal, 'abort');
  server.close();
});

test('the signal of a request is aborted once its response has ended, and before it is first used', async () => {
  const { signal, response, answer, server } = await openResponse();
  response.end();
  await once(answer, 'end');
  await expect.poll(() => signal.aborted).toBe(true);
  const request = new Request('http://localhost/', { headers: { 'x-response-number': '0' } });
  expect((await scopeOf(request)).signal.aborted).toBe(true);
  server.close();
});

test.each(['while it is read', 'while it is not read', 'before it is read'])(
  'a body whose browser disconnects %s ends and cancels its source',
  async (when) => {
    let isCancelled = false;
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(PART),
      cancel() {
        isCancelled = true;
      },
    });
    const leaving = new AbortController();
    if (when === 'before it is read') leaving.abort();
    const reader = passBody(new Request('http://localhost/'), source, leaving.signal).getReader();
    if (when !== 'before it is read') expect(await reader.read()).toEqual({ done: false, value: PART });
    const reading = when === 'while it is read' ? reader.read() : undefined;
    leaving.abort();
    expect(await (reading ?? reader.read())).toEqual({ done: true, value: undefined });
    expect(isCancelled).toBe(true);
  },
);

test('an unknown response is not waited for', async () => {
  for (const number of ['', '0', 'forged']) {
    const request = new Request('http://localhost/', { headers: { 'x-response-number': number } });
    await expect(untilDrained(request)).resolves.toBeUndefined();
  }
});

/** The body of a response that has two parts, and then ends or fails. */
function bodyOf(failure?: Error): ReadableStream<Uint8Array> {
  let parts = 0;
  return new ReadableStream({
    pull(controller) {
      parts += 1;
      if (parts < 3) controller.enqueue(new TextEncoder().encode(`part ${parts} `));
      else if (failure) controller.error(failure);
      else controller.close();
    },
  });
}

test.each([
  ['ends', undefined, false],
  ['fails', new Error('the host went away'), false],
  ['fails because the browser left', new Error('aborted'), true],
])(
  'of a body that %s nothing is kept afterwards, and only a failure of the host is one',
  async (_, failure, left) => {
    const leaving = new AbortController();
    let ends = 0;
    const passed = passBody(new Request('http://localhost/'), bodyOf(failure), leaving.signal, () => {
      ends += 1;
    });
    if (left) leaving.abort();
    const text = new Response(passed).text();
    if (failure && !left) await expect(text).rejects.toThrow('the host went away');
    else expect(await text).toBe(left ? '' : 'part 1 part 2 ');
    expect(ends).toBe(1);
  },
);

test('a body that the browser does not read to its end is given up', async () => {
  let ends = 0;
  const passed = passBody(new Request('http://localhost/'), bodyOf(), new AbortController().signal, () => {
    ends += 1;
  });
  const reader = passed.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('part 1 ');
  await reader.cancel();
  expect(ends).toBe(1);
});
