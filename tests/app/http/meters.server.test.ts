import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

const TOKEN = 'a-token-of-the-metrics';

vi.hoisted(() => {
  process.env.SESSION_SECRET = 'a secret of the tests that is long enough';
  process.env.LOG_LEVEL = 'silent';
  process.env.METRICS_TOKEN = 'a-token-of-the-metrics';
});
afterAll(() => {
  delete process.env.METRICS_TOKEN;
});

const { kindOf, readMetrics } = await import('~/http/meters.server');
await import('~/codes/pictures/drawing-pool.server');

function ask(headers: Record<string, string>, peer = '127.0.0.1'): Promise<Response> {
  return readMetrics(
    new Request('http://localhost/metrics', {
      headers: { host: 'localhost:3001', 'x-socket-address': peer, ...headers },
    }),
  );
}

test.each([
  ['GET', '/', 'public_page'],
  ['GET', '/pricings', 'public_page'],
  ['POST', '/login', 'form'],
  ['POST', '/user/settings.data', 'form'],
  ['GET', '/user/dashboard', 'account_page'],
  ['GET', '/user/dashboard.data', 'data'],
  ['GET', '/user/analytics/stream', 'stream'],
  ['GET', '/user/qrcodes/4c6f/download', 'download'],
  ['GET', '/user/analytics/codes.csv', 'download'],
  ['GET', '/assets/root-4f3a.js', 'file'],
  ['GET', '/R/4C6F0000', 'code'],
  ['POST', '/e/4C6F0000/open', 'code'],
  ['GET', '/livez', 'own'],
])('%s %s is counted as %s', (method, path, kind) => expect(kindOf(method, path)).toBe(kind));

test('only local callers and those with the token may read the metrics', async () => {
  expect((await ask({})).status).toBe(200);
  expect((await ask({}, '203.0.113.9')).status).toBe(404);
  expect((await ask({ host: 'www.quadrille.example' })).status).toBe(404);
  expect((await ask({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
  expect((await ask({ 'x-internal-key': 'that of the gateway' })).status).toBe(404);
  expect((await ask({ authorization: 'Bearer not-the-token-of-it' }, '203.0.113.9')).status).toBe(404);
  expect((await ask({ authorization: `Bearer ${TOKEN}` }, '203.0.113.9')).status).toBe(200);
});

test('responses are counted by kind, and the drawing processes report their work', async () => {
  const { installServerHooks } = await import('~/http/server-hooks.server');
  installServerHooks();
  const seen: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers['x-request-id'] as string);
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const path of ['/pricings', '/r/4C6F0000']) {
    const [answer] = await once(request(`http://127.0.0.1:${port}${path}`).end(), 'response');
    answer.resume();
    await once(answer, 'close');
  }
  expect(seen).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  const metrics = async () => (await ask({})).text();
  await expect.poll(metrics).toContain('quadrille_web_requests_total{kind="public_page",status="2xx"} 1\n');
  const text = await metrics();
  expect(text).toContain('quadrille_web_requests_total{kind="code",status="2xx"} 1\n');
  expect(text).toContain('quadrille_web_request_duration_seconds_count{kind="code"} 1\n');
  expect(text).toContain('quadrille_drawing_waiting 0\n');
  expect(text).toContain('quadrille_drawing_processes{state="busy"} 0\n');
  expect(text).toContain('quadrille_drawing_refused_total{reason="queue"} 0\n');
  expect(text).not.toContain('4C6F0000');
});
