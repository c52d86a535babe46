import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { type Dispatcher, errors, Pool } from 'undici';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../support/free-port';
import { sendRaw } from '../../support/raw-request';
import { ask, echo, type Handler, hanging, serveBehindGateways, urlOf } from './open-gateways';

let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;

beforeAll(async () => {
  gateways = await serveBehindGateways();
});
afterEach(() => gateways.clean());
afterAll(() => gateways.close());

/** Serves `handler` as the host of a gateway. */
async function openHost(handler: Handler) {
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  gateways.closeLater(server);
  return (await gateways.open({ website: echo, hostUrl: urlOf(server) })).url;
}

test.each([
  ['of known length', { 'content-length': '100000' }],
  ['in chunks', {}],
])('a download %s that breaks off does not end as if it were whole', async (_, headers) => {
  const { url } = await gateways.open({
    website: (_, response) => {
      response.writeHead(200, headers).write('x'.repeat(50_000), () => response.destroy());
    },
  });
  const sent = request(`${url}/file`).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const [error] = await once(answer.resume(), 'error');
  expect([answer.statusCode, answer.complete, error.code]).toEqual([200, false, 'ECONNRESET']);
});

test('a response is taken from the website no faster than its client reads it', async () => {
  const whole = 50_000_000;
  const part = Buffer.alloc(50_000, 'x');
  let sent = 0;
  const { url } = await gateways.open({
    website: (_, response) => {
      const send = () => {
        while (sent < whole) {
          sent += part.length;
          if (!response.write(part)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    },
  });
  const [answer] = (await once(request(`${url}/file`).end(), 'response')) as [IncomingMessage];
  let last = 0;
  const isStuck = () => {
    const before = last;
    last = sent;
    return before === sent;
  };
  await expect.poll(isStuck, { interval: 200 }).toBe(true);
  expect(sent).toBeLessThan(whole / 2);
  let read = 0;
  for await (const bytes of answer) read += bytes.length;
  expect(read).toBe(whole);
});

test('interim responses and headers of the connection to the website are not passed on', async () => {
  const { url, gateway } = await gateways.open({
    website: (_, response) => {
      response.writeProcessing();
      response.writeHead(200, { connection: 'close', 'x-own': '1' }).write('in ');
      response.end('chunks');
    },
  });
  const answer = await ask(`${url}/faq`);
  expect([answer.status, answer.body]).toEqual([200, 'in chunks']);
  expect(answer.headers).toMatchObject({ connection: 'keep-alive', 'x-own': '1' });
  // A client of HTTP/1.0 knows no chunks.
  const old = await sendRaw(gateway.port, 'GET /faq HTTP/1.0', 'Host: localhost');
  expect([old.status, old.body, /transfer-encoding/i.test(old.head)]).toEqual([200, 'in chunks', false]);
});

test('a request that got its connection only after its client left is not sent', async () => {
  const handlers: Dispatcher.DispatchHandlers[] = [];
  const dispatch = vi.spyOn(Pool.prototype, 'dispatch').mockImplementation((_, handler) => {
    handlers.push(handler);
    return true;
  });
  onTestFinished(() => void dispatch.mockRestore());
  const { url } = await gateways.open({ website: echo });
  const leaving = request(`${url}/faq`).on('error', () => undefined);
  leaving.end();
  await expect.poll(() => handlers.length).toBe(1);
  leaving.destroy();
  const isStopped = () => {
    let stopped = false;
    handlers[0]?.onConnect?.(() => {
      stopped = true;
    });
    return stopped;
  };
  expect(isStopped()).toBe(false);
  await expect.poll(isStopped).toBe(true);
});

test('a response that the host breaks off is not replaced by a page', async () => {
  const url = await openHost((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy());
  });
  await expect(ask(`${url}/r/7K3M9QXD`)).rejects.toThrow('aborted');
});

test.each([
  ['POST', '/login', 'a=b'],
  ['POST', '/login', ''],
  ['DELETE', '/login', ''],
  ['OPTIONS', '/login', ''],
  ['POST', '/e/7K3M9QXD/copy', ''],
])('%s %s with the body %j is not sent again after its connection broke', async (method, path, body) => {
  const seen: string[] = [];
  const breaking: Handler = (incoming) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    incoming.resume().once('end', () => incoming.socket.destroy());
  };
  const url = path.startsWith('/e/')
    ? await openHost(breaking)
    : (await gateways.open({ website: breaking })).url;
  await ask(url + path, {}, method, body);
  expect(seen).toEqual([`${method} ${path}`]);
});

test.each([
  ['GET', '/faq', 503],
  ['HEAD', '/faq', 503],
])('%s %s is sent twice at most', async (method, path, status) => {
  const seen: unknown[] = [];
  const { url } = await gateways.open({
    website: ({ method, url, socket }) => {
      seen.push([method, url]);
      socket.destroy();
    },
  });
  expect((await ask(url + path, {}, method)).status).toBe(status);
  expect(seen).toEqual(Array(2).fill([method, path]));
});

test('a visit is sent twice at most, and then shown as unavailable', async () => {
  let seen = 0;
  const url = await openHost(({ socket }) => {
    seen += 1;
    socket.destroy();
  });
  const { body } = await ask(`${url}/r/7K3M9QXD`);
  expect([JSON.parse(body).headers['x-host-unavailable'], seen]).toEqual(['1', 2]);
});

test('a request that got no response in time is not sent again', async () => {
  const dispatch = vi.spyOn(Pool.prototype, 'dispatch').mockImplementation((_, handler) => {
    handler.onConnect?.(() => undefined);
    handler.onError?.(new errors.HeadersTimeoutError());
    return true;
  });
  onTestFinished(() => void dispatch.mockRestore());
  const { url } = await gateways.open({ website: echo });
  expect((await ask(`${url}/faq`)).status).toBe(503);
  expect(dispatch).toHaveBeenCalledOnce();
});

test('a request without a body that no program has seen yet waits for one, whatever its method', async () => {
  const port = await freePort();
  const { url } = await gateways.open({ website: echo, websiteUrl: `http://127.0.0.1:${port}` });
  const waiting = ask(`${url}/login`, {}, 'DELETE');
  const refused = ask(`${url}/login`, {}, 'POST', 'a=b');
  expect((await refused).status).toBe(503);
  const website = createServer(echo).listen(port, '127.0.0.1');
  gateways.closeLater(website);
  expect((await waiting).status).toBe(200);
});

test.each([100, 17])(
  '%i requests for a large file, from a client that leaves, leave nothing open',
  async (count) => {
    const file = Buffer.alloc(300_000, 'x');
    const { gateway } = await gateways.open({ website: (_, response) => response.end(file) });
    const openFiles = () => readdirSync('/dev/fd').length;
    const before = openFiles();
    const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count));
    // More than may wait are closed at once; of the others, a part of the file arrives.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    socket.pause();
    expect(openFiles()).toBeLessThan(before + 10);
    socket.destroy();
    await expect.poll(openFiles, { timeout: 5_000 }).toBeLessThanOrEqual(before);
  },
);

test('a request is aborted when its client leaves, also while others wait behind it', async () => {
  let requested = 0;
  let aborted = 0;
  const { gateway } = await gateways.open({
    website: (incoming, response) => {
      requested += 1;
      response.once('close', () => {
        aborted += 1;
      });
      hanging(incoming, response);
    },
  });
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write('GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(5));
  await expect.poll(() => requested).toBe(1);
  socket.destroy();
  await expect.poll(() => aborted).toBe(1);
  expect(requested).toBe(1);
});

test.each([
  ['/faq', 60_000],
  ['/user/qrcodes/sheet/download', 300_000],
  ['/user/qrcodes/sheet/download?layout=a4', 300_000],
  ['/user/qrcodes/sheet/download/more', 60_000],
  ['/user/qrcodes/zip/download', 60_000],
])('the website may take to begin its response to %s: %i ms', async (path, ms) => {
  const dispatch = vi.spyOn(Pool.prototype, 'dispatch');
  onTestFinished(() => void dispatch.mockRestore());
  const { url } = await gateways.open({ website: echo });
  await ask(url + path, {}, 'POST', 'a=b');
  expect(dispatch.mock.calls.map(([{ path, headersTimeout }]) => [path, headersTimeout])).toEqual([
    [path, ms],
  ]);
});
