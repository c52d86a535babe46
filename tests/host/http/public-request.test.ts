import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isPublicIp } from '#host/http/public-addresses';
import { addressProblem, createPublicRequest } from '#host/http/public-request';
import { CERTIFICATE } from '../../support/certificate';

test.each([
  ['https://example.com', null],
  ['https://example.com:8443/a?b#c', null],
  ['https://8.8.8.8/', null],
  ['https://[2606:4700:4700::1111]/', null],
  ['https://bücher.example/', null],
  ['http://example.com', 'not_https'],
  ['ftp://example.com', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['example.com', 'invalid'],
  ['https://', 'invalid'],
  ['https://[fe80::1%25eth0]/', 'invalid'],
  ['https://user@example.com', 'credentials'],
  ['https://user:word@example.com', 'credentials'],
  // Names of this machine and of networks of one's own.
  ['https://localhost', 'not_public'],
  ['https://LOCALHOST', 'not_public'],
  ['https://localhost.', 'not_public'],
  ['https://a.localhost', 'not_public'],
  ['https://intranet', 'not_public'],
  ['https://intranet.', 'not_public'],
  ['https://printer.local', 'not_public'],
  ['https://metadata.google.internal', 'not_public'],
  ['https://metadata.google.internal.', 'not_public'],
  ['https://router.home.arpa', 'not_public'],
  ['https://example.com..', 'not_public'],
  // Every spelling of an IPv4 address.
  ['https://127.0.0.1', 'not_public'],
  ['https://127.0.0.1.', 'not_public'],
  ['https://127.1', 'not_public'],
  ['https://2130706433', 'not_public'],
  ['https://0x7f000001', 'not_public'],
  ['https://0x7f.1', 'not_public'],
  ['https://0177.0.0.1', 'not_public'],
  ['https://①②⑦.0.0.1', 'not_public'],
  ['https://0', 'not_public'],
  ['https://10.0.0.1', 'not_public'],
  ['https://172.31.255.255', 'not_public'],
  ['https://192.168.1.1', 'not_public'],
  ['https://169.254.169.254', 'not_public'],
  ['https://0xa9fea9fe', 'not_public'],
  ['https://2852039166', 'not_public'],
  ['https://168.63.129.16', 'not_public'],
  ['https://100.64.0.1', 'not_public'],
  ['https://100.100.100.200', 'not_public'],
  ['https://192.0.0.192', 'not_public'],
  ['https://192.0.2.1', 'not_public'],
  ['https://198.18.0.1', 'not_public'],
  ['https://198.51.100.1', 'not_public'],
  ['https://203.0.113.1', 'not_public'],
  ['https://224.0.0.1', 'not_public'],
  ['https://240.0.0.1', 'not_public'],
  ['https://255.255.255.255', 'not_public'],
  // IPv6, and IPv4 inside it.
  ['https://[::]', 'not_public'],
  ['https://[::1]', 'not_public'],
  ['https://[0:0:0:0:0:0:0:1]', 'not_public'],
  ['https://[::ffff:127.0.0.1]', 'not_public'],
  ['https://[::ffff:8.8.8.8]', 'not_public'],
  ['https://[::ffff:7f00:1]', 'not_public'],
  ['https://[::127.0.0.1]', 'not_public'],
  ['https://[::ffff:0:127.0.0.1]', 'not_public'],
  ['https://[64:ff9b::7f00:1]', 'not_public'],
  ['https://[64:ff9b:1::a00:1]', 'not_public'],
  ['https://[2002:7f00:1::]', 'not_public'],
  ['https://[2001:0:7f00:1::]', 'not_public'],
  ['https://[2001:db8::1]', 'not_public'],
  ['https://[3fff::1]', 'not_public'],
  ['https://[fc00::1]', 'not_public'],
  ['https://[fd00:ec2::254]', 'not_public'],
  ['https://[fe80::1]', 'not_public'],
  ['https://[fec0::1]', 'not_public'],
  ['https://[ff02::1]', 'not_public'],
  ['https://[100::1]', 'not_public'],
  ['https://[5f00::1]', 'not_public'],
])('%s: %s', (address, problem) => {
  expect(addressProblem(address)).toBe(problem);
});

test('no text but a public IP address is one', () => {
  for (const text of ['', 'example.com', '1.2.3', '8.8.8.8.8', 'fe80::1%eth0', '2606:4700::1%eth0'])
    expect(isPublicIp(text), text).toBe(false);
});

describe('what a name resolves to', () => {
  const ask = (addresses: string[]) => {
    const resolve = vi.fn(async () => addresses);
    const answer = createPublicRequest({ resolve, isPublic: isPublicIp })('https://name.example/');
    return { resolve, answer };
  };

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['2606:4700:4700::1111', '::1']],
    [['::ffff:10.0.0.1']],
    [['169.254.169.254']],
    [['nonsense']],
  ])('%j is refused', async (addresses) => {
    const { answer, resolve } = ask(addresses);
    await expect(answer).rejects.toMatchObject({ failure: 'refused' });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test('nothing is a failure of DNS', async () => {
    await expect(ask([]).answer).rejects.toMatchObject({ failure: 'dns' });
  });

  test('nothing within the time is a failure too', async () => {
    const resolve = () => new Promise<string[]>((done) => setTimeout(done, 100, ['127.0.0.1']));
    const request = createPublicRequest({ resolve, isPublic: () => true });
    await expect(request('https://name.example/', { timeoutMs: 5 })).rejects.toMatchObject({
      failure: 'timeout',
    });
  });
});

describe('a request', () => {
  let seen: { method: string; host: string; name: string | false | null; body: string }[] = [];
  const server = createServer(CERTIFICATE, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { servername } = request.socket as TLSSocket;
    seen.push({ method: request.method ?? '', host: request.headers.host ?? '', name: servername, body });
    if (request.url === '/endless') return void pour(response);
    if (request.url === '/stalled') return void response.write('a');
    response.writeHead(301, { Location: 'https://elsewhere.example/' }).end('hello');
  });
  let origin: string;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `https://name.example:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    seen = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function pour(response: ServerResponse): void {
    response.on('drain', () => pour(response));
    while (response.writable && response.write('x'.repeat(65_536)));
  }

  const resolve = vi.fn(async () => ['127.0.0.1']);
  const trusting = createPublicRequest({ resolve, isPublic: () => true, tls: { ca: CERTIFICATE.cert } });

  test('goes to the address that was checked, by its name, and follows no redirect', async () => {
    const { status, headers, body } = await trusting(`${origin}/`, { method: 'POST', body: 'sent' });
    expect([status, headers.location, String(body)]).toEqual([301, 'https://elsewhere.example/', 'hello']);
    const { host } = new URL(origin);
    expect(seen).toEqual([{ method: 'POST', host, name: 'name.example', body: 'sent' }]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test('reads no more than it should', async () => {
    const { body } = await trusting(`${origin}/endless`, { maxBytes: 1_000 });
    expect(body).toHaveLength(1_000);
  });

  test('has an end, by time or by a signal', async () => {
    const stalled = `${origin}/stalled`;
    await expect(trusting(stalled, { timeoutMs: 300 })).rejects.toMatchObject({ failure: 'timeout' });
    const stopped = new Error('stopped');
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(stopped), 50);
    await expect(trusting(stalled, { signal: stopping.signal })).rejects.toBe(stopped);
  });

  test('fails for certificates that nobody vouches for, of another name, and for closed ports', async () => {
    const strict = createPublicRequest({ resolve, isPublic: () => true });
    await expect(strict(origin)).rejects.toMatchObject({ failure: 'tls' });
    const { port } = new URL(origin);
    const other = trusting(`https://other.example:${port}/`);
    await expect(other).rejects.toMatchObject({ failure: 'tls' });
    await expect(trusting('https://name.example:1/')).rejects.toMatchObject({ failure: 'unreachable' });
  });
});
