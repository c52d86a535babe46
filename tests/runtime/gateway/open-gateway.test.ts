import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#runtime/gateway/open-gateway';
import { ask, echo } from './open-gateways';

/** Opens a gateway in front of a website that echoes requests. */
async function open(environment: Record<string, string>) {
  const website = createServer(echo);
  await once(website.listen(0, '127.0.0.1'), 'listening');
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'gateway-'));
  const settings = { NODE_ENV: 'test', LOG_LEVEL: 'silent', PORT: '0', DATA_DIR, ...environment } as const;
  const gateway = await openGateway(settings, (website.address() as AddressInfo).port, []);
  onTestFinished(async () => {
    await gateway.close(0);
    website.close();
    rmSync(DATA_DIR, { recursive: true });
  });
  return gateway.port;
}

test('a publicly reachable gateway does not open with default settings of the programs behind it', async () => {
  const settings = { NODE_ENV: 'test', PUBLIC_URL: 'https://quadrille.example', PORT: '0' } as const;
  await expect(openGateway(settings, 1, ['host', 'website'])).rejects.toThrow(
    /SANDBOX[\s\S]*OPEN_MAILBOX[\s\S]*JWT_SECRET[\s\S]*SESSION_SECRET/,
  );
});

test.each([
  [{ CAPTCHA_SITE_KEY: 'key' }, 'CAPTCHA_SITE_KEY needs CAPTCHA_SECRET'],
  [{ CAPTCHA_SECRET: 'secret' }, 'CAPTCHA_SECRET needs CAPTCHA_SITE_KEY'],
])('in front of both programs it does not open with %j alone', async (settings, problem) => {
  const opening = openGateway({ NODE_ENV: 'test', PORT: '0', ...settings }, 1, ['host', 'website']);
  await expect(opening).rejects.toThrow(problem);
});

test.each([
  [{}, true],
  [{ TRUST_PROXY: 'x-forwarded-for' }, false],
  [{ TRUST_PROXY: 'x-forwarded-for', TRUSTED_PROXIES: '10.0.0.7' }, false],
  [{ TRUST_PROXY: 'x-forwarded-for', GATEWAY_ADDRESS: '0.0.0.0' }, true],
  [{ GATEWAY_ADDRESS: '127.0.0.1' }, false],
  [{ GATEWAY_ADDRESS: '127.0.0.2' }, true],
])('with %j it is reached at another address than 127.0.0.1: %s', async (settings, isReached) => {
  const port = await open(settings);
  const socket = connect(port, '127.0.0.2');
  const event = await Promise.race([
    once(socket, 'connect').then(() => 'connect'),
    new Promise((resolve) => socket.on('error', ({ message }) => resolve(message))),
  ]);
  socket.destroy();
  expect(event).toMatch(isReached ? 'connect' : 'ECONNREFUSED');
});

test.each([
  [{ GATEWAY_ADDRESS: '127.0.0.1' }, '127.0.0.1'],
  [{ TRUST_PROXY: 'X-Forwarded-For' }, '198.51.100.7'],
  [{ TRUST_PROXY: 'X-Real-IP' }, '127.0.0.1'],
])('with %j the client is %s', async (settings, clientIp) => {
  const port = await open(settings);
  const answer = await ask(`http://127.0.0.1:${port}/faq`, { 'x-forwarded-for': '198.51.100.7' });
  expect(JSON.parse(answer.body).headers['x-client-ip']).toBe(clientIp);
});

test('with COUNTRY_HEADER the proxy names the country of the client', async () => {
  const port = await open({ COUNTRY_HEADER: 'CF-IPCountry' });
  const answer = await ask(`http://127.0.0.1:${port}/faq`, { 'cf-ipcountry': 'FR' });
  expect(JSON.parse(answer.body).headers['x-client-country']).toBe('FR');
});

test.each([
  ['http://q.localhost', 302],
  ['http://www.localhost/go', 200],
])('with SHORT_URL=%s the website is there: %i', async (SHORT_URL, status) => {
  const port = await open({ PUBLIC_URL: 'http://www.localhost', SHORT_URL });
  const { host } = new URL(SHORT_URL);
  const answer = await ask(`http://127.0.0.1:${port}/login?a=b`, { host });
  expect([answer.status, answer.headers.location]).toEqual([
    status,
    status === 302 ? 'http://www.localhost/login?a=b' : undefined,
  ]);
  expect((await ask(`http://127.0.0.1:${port}/login`, { host: 'www.localhost' })).status).toBe(200);
});
