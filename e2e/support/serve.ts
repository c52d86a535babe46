import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pino from 'pino';
import { runDueJobs } from '#host/codes/bulk/run';
import { startBackgroundWork } from '#host/http/background';
import { createWebhookWorker } from '#host/webhooks/worker';
import { createProxyCheck } from '#runtime/client-address';
import { startGateway } from '#runtime/gateway/gateway';
import { guardServer } from '#runtime/server-guard';
import { visitOf } from '../../tests/host/statistics/visit-stream';
import { failDestination } from '../../tests/support/failing-destination';
import { createTestHost } from '../../tests/support/host';
import { INTERNAL_KEYS, INTERNAL_SECRET } from '../../tests/support/internal-key';
import { insertManyCodes } from '../../tests/support/many-codes';
import startDatabase from '../../tests/support/test-run';
import { mountAccountFactories } from './account-factories';
import { startGoogle } from './google';
import { FACTORY_PORT, GOOGLE_PORT, HOST_PORT, REMIX_PORT, WEB_PORT } from './ports';

// Runs the host, gateway and factories in this process, the database and the built website in child processes.
const publicUrl = `http://localhost:${WEB_PORT}`;
const google = { clientId: 'the-website', issuer: `http://127.0.0.1:${GOOGLE_PORT}` };
const clientSecret = 'a secret between website and provider';
const hostUrl = `http://127.0.0.1:${HOST_PORT}`;
const siteKey = process.env.CAPTCHA_SITE_KEY;
const stopDatabase = await startDatabase();
const host = await createTestHost({
  fetch,
  // The programs of webhooks.
  requestPublic: async () => ({ status: 202, headers: {}, body: Buffer.from('noted') }),
  hostUrl,
  settings: { publicUrl, shortUrl: publicUrl, google },
  ...(siteKey && {
    captcha: async ({ token, action }) => token === `token of ${siteKey} for ${action}`,
  }),
});
// Like the website, the host uses the machine's clock; tests may shift it.
let offsetMs = 0;
host.clock.now = () => new Date(Date.now() + offsetMs);
host.clock.set = (date) => {
  offsetMs = date.getTime() - Date.now();
};

const factories = new Hono();
factories.post('/account', async (context) => context.json(await host.account(await context.req.json())));
factories.post('/zone', async (context) => {
  const { accountId, timeZone } = await context.req.json();
  const text = 'update accounts set time_zone = $2 where id = $1';
  await host.db.query({ name: 'e2e-zone', text, values: [accountId, timeZone] });
  return context.json({});
});
factories.post('/code', async (context) => {
  const { accountId, ...fields } = await context.req.json();
  return context.json(await host.code(accountId, fields));
});
factories.post('/many-codes', async (context) => {
  const { accountId, count } = await context.req.json();
  return context.json(await insertManyCodes(host, accountId, count));
});
mountAccountFactories(factories, host);
factories.post('/advance', async (context) => {
  offsetMs += (await context.req.json()).ms;
  return context.json({ now: host.clock.now() });
});
factories.post('/visit', async (context) => {
  const { codeId, hoursAgo } = await context.req.json();
  const at = new Date(host.clock.now().getTime() - hoursAgo * 3_600_000).toISOString();
  await host.recorder.record(visitOf(codeId, at));
  await host.recorder.idle();
  return context.json({});
});
factories.post('/failing', async (context) => {
  const { content } = await context.req.json();
  const seen = { problem: 'status', status: 404 } as const;
  await failDestination(host.db.orm, content, seen, host.clock.now());
  return context.json({});
});
factories.get('/counted', async (context) => {
  await host.recorder.idle();
  return context.json({});
});
factories.get('/visits/:codeId', async (context) => {
  const values = [context.req.param('codeId')];
  const text = 'select source, class, outcome from visits where code_id = $1 order by at';
  return context.json(await host.db.query({ name: 'e2e-visits', text, values }));
});
factories.get('/codes/:accountId', async (context) => {
  const values = [context.req.param('accountId')];
  const text =
    'select id, slug, type, content, visibility, deleted_at from codes where account_id = $1 order by created_at';
  return context.json(await host.db.query({ name: 'e2e-codes', text, values }));
});

const sendWebhooks = createWebhookWorker(host.deps);
// Only work that a user waits for on a page runs by itself; the tests run all other due work.
const stopJobs = startBackgroundWork(host.deps, [
  { name: 'jobs', everyMs: 200, run: (_, stopping) => runDueJobs(host.deps, stopping) },
  { name: 'webhooks', everyMs: 200, run: (_, stopping) => sendWebhooks(stopping) },
]);

const provider = await startGoogle({
  port: GOOGLE_PORT,
  clientId: google.clientId,
  clientSecret,
  redirectUri: `${publicUrl}/google-login`,
});
const guard = {
  addresses: [publicUrl],
  internalKeys: INTERNAL_KEYS,
  includeSubDomains: false,
  log: pino({ level: 'silent' }),
};
const hostServer = serve({ fetch: host.app.fetch, port: HOST_PORT, hostname: '127.0.0.1' }) as Server;
guardServer(hostServer, guard);
const servers = [
  provider,
  hostServer,
  serve({ fetch: factories.fetch, port: FACTORY_PORT, hostname: '127.0.0.1' }),
];
const SESSION_SECRET = 'a secret of the journeys that is long enough';
const web = spawn('node', ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(REMIX_PORT),
    PUBLIC_URL: publicUrl,
    HOST_URL: hostUrl,
    INTERNAL_SECRET,
    SESSION_SECRET,
    LOG_LEVEL: 'warn',
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
    GOOGLE_ISSUER: google.issuer,
    // Gives each test its own rate limits, which count by IP address.
    TRUST_PROXY: 'x-forwarded-for',
    DRAIN_SECONDS: '0',
  },
});

const gateway = await startGateway({
  port: WEB_PORT,
  websiteUrl: `http://127.0.0.1:${REMIX_PORT}`,
  hostUrl,
  isProxy: createProxyCheck(),
  trustProxy: 'x-forwarded-for',
  countryHeader: null,
  appName: 'Quadrille',
  ...guard,
  sessionSecrets: [SESSION_SECRET],
  hstsSubdomains: guard.includeSubDomains,
});

const giveUp = (code: number | null) => process.exit(code ?? 1);
web.once('exit', giveUp);

let isStopping = false;
// More than once: the signal goes to the whole process group, and tsx passes it on.
process.on('SIGTERM', async () => {
  if (isStopping) return;
  isStopping = true;
  await gateway.close(0);
  web.off('exit', giveUp).kill('SIGTERM');
  for (const server of servers) server.close();
  await stopJobs();
  await host.close();
  await stopDatabase();
  process.exit(0);
});
