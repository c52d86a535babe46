import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { breakable } from '../support/breakable-database';
import { openFresh } from '../support/fresh-database';
import { createTestHost, type TestHost } from '../support/host';
import { advance, buy } from '../support/ordering';
import { sendRaw } from '../support/raw-request';

const LOCAL = { headers: { host: 'localhost:4000' } };

async function scrape(host: TestHost): Promise<string> {
  const answer = await host.request('/metrics', LOCAL);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  return answer.text();
}

/** The value of a metric line, or undefined if there is none. */
function metricOf(metrics: string, line: string): number | undefined {
  const found = metrics.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

async function open(overrides?: Parameters<typeof createTestHost>[0]): Promise<TestHost> {
  const host = await createTestHost(overrides);
  onTestFinished(() => host.close());
  return host;
}

test('visits are counted by source and outcome, with the time they took', async () => {
  const host = await open();
  const { id } = await host.account();
  const [link, text] = [await host.code(id), await host.code(id, { type: 'text', content: 'Hello' })];
  await host.request(`/r/${link.slug}`);
  await host.request(`/R/${link.slug}`);
  await host.request(`/l/${text.slug}`, { headers: { accept: 'application/json' } });
  await host.request('/r/ZZZZZZZZ', { headers: { accept: 'application/json' } });
  // Prefetches are no visits, and neither is the page of a visit that the host has already counted.
  await host.request(`/r/${link.slug}`, { headers: { 'sec-purpose': 'prefetch' } });
  const page = (await host.request(`/l/${text.slug}`)).headers.get('location') ?? '';
  await host.request(page.slice(page.indexOf('/l/')), { headers: { accept: 'application/json' } });
  const metrics = await scrape(host);
  expect(metricOf(metrics, 'quadrille_visits_total{source="scan",outcome="served"}')).toBe(2);
  expect(metricOf(metrics, 'quadrille_visits_total{source="click",outcome="served"}')).toBe(2);
  expect(metricOf(metrics, 'quadrille_visits_total{source="scan",outcome="unknown"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_visit_duration_seconds_count{kind="redirect"}')).toBe(3);
  expect(metricOf(metrics, 'quadrille_visit_duration_seconds_count{kind="page"}')).toBe(4);
  expect(metricOf(metrics, 'quadrille_visit_duration_seconds_bucket{kind="page",le="+Inf"}')).toBe(4);
  expect(metricOf(metrics, 'quadrille_visit_duration_seconds_sum{kind="redirect"}')).toBeGreaterThan(0);
  expect(metrics.endsWith('# EOF\n')).toBe(true);
});

test('calls are counted by their names in the contract, without any of their data', async () => {
  const host = await open();
  const { id, email, token } = await host.account();
  const code = await host.code(id);
  await host.request(`/api/qrcodes/${code.id}`, { token });
  await host.request(`/api/qrcodes/${code.id}`);
  await host.request('/no/such/path');
  await host.request(`/r/${code.slug}`);
  const metrics = await scrape(host);
  expect(metricOf(metrics, 'quadrille_api_requests_total{call="getCode",status="2xx"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_api_requests_total{call="getCode",status="4xx"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_api_requests_total{call="none",status="4xx"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_api_request_duration_seconds_count{call="getCode"}')).toBe(2);
  for (const secret of [id, email, code.id, code.slug, '/no/such']) expect(metrics).not.toContain(secret);
});

test('charges are counted by outcome', async () => {
  const host = await open();
  await buy(host);
  expect(metricOf(await scrape(host), 'quadrille_charges_total{outcome="succeeded"}')).toBe(0);
  await advance(host, '49h');
  const metrics = await scrape(host);
  expect(metricOf(metrics, 'quadrille_charges_total{outcome="succeeded"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_charges_total{outcome="failed"}')).toBe(0);
});

test('rate limited calls are counted', async () => {
  const host = await open();
  const body = JSON.stringify({ email: 'nobody@test.example', password: 'not the right one' });
  const tryToLogIn = () =>
    host.request('/api/login_check', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  let tries = 0;
  while ((await tryToLogIn()).status !== 429) {
    tries += 1;
    if (tries > 100) throw new Error('nobody is ever told to wait');
  }
  expect(metricOf(await scrape(host), 'quadrille_rate_limited_total{call="logIn"}')).toBe(1);
});

const QUEUES = ['visit_journal', 'billing_jobs', 'code_jobs', 'mails', 'link_requests', 'destinations'];

test('the metrics of queues are their depth and the age of the oldest entry', async () => {
  const host = await open();
  const empty = await scrape(host);
  expect(metricOf(empty, 'quadrille_database_up')).toBe(1);
  for (const queue of QUEUES) {
    expect(metricOf(empty, `quadrille_queue_depth{queue="${queue}"}`)).toBe(0);
    expect(metricOf(empty, `quadrille_queue_oldest_seconds{queue="${queue}"}`)).toBe(0);
  }
  expect(empty).toMatch(/quadrille_database_connections\{pool="\w+",state="waiting"\} 0\n/);

  const later = await open({ db: await openFresh(), clock: host.clock });
  await later.request('/api/account/forgot-password', {
    method: 'POST',
    body: JSON.stringify({ email: (await later.account()).email }),
    headers: { 'content-type': 'application/json' },
  });
  host.clock.advance(90_000);
  const metrics = await scrape(later);
  expect(metricOf(metrics, 'quadrille_queue_depth{queue="link_requests"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_queue_oldest_seconds{queue="link_requests"}')).toBe(90);
});

test('without its database a host still has metrics, and reports the database as down', async () => {
  const { db, set } = breakable(await openFresh());
  const orm = new Proxy(db.orm, {
    get: (target, name) => {
      if (name === 'execute') throw new Error('connect ECONNREFUSED');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const host = await open({ db: { ...db, orm } });
  const { slug } = await host.code((await host.account()).id);
  await host.request(`/r/${slug}`);
  set('down');
  const metrics = await scrape(host);
  expect(metricOf(metrics, 'quadrille_database_up')).toBe(0);
  expect(metrics).not.toContain('quadrille_queue_depth{');
  expect(metricOf(metrics, 'quadrille_visits_total{source="scan",outcome="served"}')).toBe(1);
  expect(metricOf(metrics, 'quadrille_spool_limit_bytes')).toBe(16 * 1024 * 1024);
  set('none');
});

test('visits that fit in neither spool nor database are counted as lost', async () => {
  const { db, set } = breakable(await openFresh());
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  const host = await open({ db, visits: { folder, spoolBytes: 100, knownCodes: 100 } });
  const { slug } = await host.code((await host.account()).id);
  const lost = async () => metricOf(await scrape(host), 'quadrille_visits_lost_total');
  expect(await lost()).toBe(0);
  set('down', 'visits_insert');
  for (let n = 0; n < 3; n += 1) await host.request(`/r/${slug}`);
  await expect.poll(lost).toBe(3);
  set('none');
});

test('a database that does not respond delays no scrape, and is not queried twice', async () => {
  const db = await openFresh();
  let requested = 0;
  let answer = () => {};
  const orm = new Proxy(db.orm, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'execute') {
        requested += 1;
        return () => new Promise((resolve) => (answer = () => resolve({ rows: [] })));
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const host = await open({ db: { ...db, orm } });
  const [one, other] = await Promise.all([scrape(host), scrape(host)]);
  expect([one, other].map((metrics) => metricOf(metrics, 'quadrille_database_up'))).toEqual([0, 0]);
  expect(requested).toBe(1);
  answer();
});

test('only this machine and callers with the token may read the metrics', async () => {
  const metricsToken = 'a-token-of-the-metrics';
  const host = await open({ settings: { metricsToken } });
  const server = serve({ fetch: host.app.fetch, port: 0, hostname: '0.0.0.0' }) as Server;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const statusOf = async (name: string, ...headers: string[]) => {
    const lines = [`Host: ${name}`, ...headers, 'Connection: close'];
    return (await sendRaw(port, 'GET /metrics HTTP/1.1', ...lines)).status;
  };
  expect(await statusOf('localhost')).toBe(200);
  expect(await statusOf(`127.0.0.1:${port}`)).toBe(200);
  expect(await statusOf('localhost', 'Authorization: Bearer not-the-token-of-it')).toBe(200);
  const refused: [string, ...string[]][] = [
    ['evil.example'],
    ['localhost', 'X-Forwarded-For: 203.0.113.9'],
    ['localhost', 'Forwarded: for=203.0.113.9'],
    ['localhost', 'X-Internal-Key: whatever'],
    ['www.quadrille.example', 'Authorization: Bearer not-the-token-of-it'],
  ];
  for (const request of refused) expect(await statusOf(...request), request.join()).toBe(404);
  const bearer = `Authorization: Bearer ${metricsToken}`;
  expect(await statusOf('www.quadrille.example', bearer, 'X-Forwarded-For: 203.0.113.9')).toBe(200);
});
