import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { PoolRefusal } from '#runtime/processes/pool-errors';
import type { Client } from '#runtime/processes/process-pool';
import { send } from '../../support/json-calls';
import { scopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let leaving = new AbortController();

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/create/receipt': 'codes/create/receipt-route.ts',
    '/user/qrcodes/sheet': 'codes/files/sheet-page.tsx',
    '/user/qrcodes/sheet/download': 'codes/files/sheet-route.ts',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  });
});
afterEach(() => leaving.abort());
afterAll(async () => {
  globalThis.drawingPool?.close();
  await website.close();
});

/**
 * Fills the pool and its queue until the test ends by repeating every request that is done, aborted or
 * refused. Resolves once `atOnce` of the clients are being served and the queue behind them is full.
 */
async function occupy(clients: Client[], atOnce: number): Promise<void> {
  leaving = new AbortController();
  const { signal } = leaving;
  setMaxListeners(0, signal);
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const order = { payload: 'x'.repeat(900), format: 'pdf' as const, size: 100 };
  const ask = (client: Client) => {
    if (signal.aborted) return;
    const options = { client, cpuMs: 60_000, timeoutMs: 60_000, signal };
    pool.run('makeFile', order, options).then(
      () => ask(client),
      (error) => (error instanceof PoolRefusal ? setTimeout(ask, 5, client) : ask(client)),
    );
  };
  for (const client of clients) ask(client);
  await vi.waitFor(() => expect(pool.load().busy).toBe(atOnce), 30_000);
  const { refused } = pool.load();
  await vi.waitFor(() => expect(pool.load().refused).toBeGreaterThan(refused), 30_000);
}

const everybody = () =>
  Array.from({ length: 70 }, (_, n) => ({ networks: [`192.0.2.${n}`], account: `${n}@example.com` }));
// Different content for each test, as results are cached.
let content = '';
let tables = 0;
const design = () => ({ type: 'text', content, subject: '', body: '', ssid: '', passphrase: '' });
beforeEach(() => {
  tables += 1;
  content = `Table ${tables}`;
});

/** The design as the live preview posts it. */
function posted(others: Record<string, unknown> = {}): URLSearchParams {
  return new URLSearchParams({
    design: JSON.stringify({ fields: design(), useWhiteBackground: false, ...others }),
  });
}

function preview(headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ type: 'text', content, intent: 'preview' });
  return website.browse('/create', { method: 'POST', body, headers });
}

test('a design is drawn and decoded in a separate process', async () => {
  const page = await preview();
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(`reads back: ${content}`);
  const answer = await website.browse('/create/receipt', {
    method: 'POST',
    body: posted({ preset: 'heart.svg' }),
  });
  expect(await answer.json()).toMatchObject({ examination: { readBack: content, scan: { grade: 'A' } } });
});

test.each(['png', 'jpeg', 'svg', 'pdf'])('a %s is drawn in a separate process', async (format) => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, { logoPreset: 'heart.svg' });
  const answer = await website.browse(`/user/qrcodes/${id}/download?format=${format}&size=400`, { as });
  expect(answer.status).toBe(200);
  expect((await answer.arrayBuffer()).byteLength).toBe(Number(answer.headers.get('content-length')));
});

test('a download that breaks a rule states why it is refused', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, { type: 'text', content: 'x'.repeat(200) });
  const path = `/user/qrcodes/${id}/download?format=svg&size=50&variant=direct`;
  expect((await website.browse(path, { as })).status).toBe(200);
  const wifi = await website.host.code(as.id, { type: 'wifi', content: 'x'.repeat(1_300) });
  const tooLong = await website.browse(`/user/qrcodes/${wifi.id}/download?format=svg`, { as });
  expect([tooLong.status, tooLong.headers.get('location')]).toEqual([
    303,
    `/user/qrcodes/${wifi.id}?format=svg#downloads`,
  ]);
});

test('with a full queue, a form keeps its input and says when to resend it', async () => {
  await occupy(everybody(), 2);
  const page = await preview();
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '10']);
  const html = await page.text();
  expect(html).toContain('More codes are waiting to be drawn');
  expect(html).toContain(`value="${content}"`);
});

/** Applies these limits to all tasks of the pool until the test ends. */
function limit(limits: { cpuMs?: number; timeoutMs?: number }) {
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  pool.run = (task, input, options) => run(task, input, { ...options, ...limits });
  onTestFinished(() => {
    pool.run = run;
  });
}

const STYLED = { moduleShape: 'dots', ringShape: 'square', centreShape: 'square', moduleColour: '#14203c' };
const LOOK = { ...DEFAULT_STYLE, moduleShape: 'dots' };

test.each([
  ['previewed', { intent: 'preview' }],
  ['created with a custom look', { intent: 'create', readyMade: 'own', readyMadeBefore: 'own', ...STYLED }],
])(
  'a design that is %s on a machine too busy to draw it in time gets a 503 with its input',
  async (_, fields) => {
    limit({ timeoutMs: 1 });
    const body = new URLSearchParams({ type: 'text', content, ...fields });
    const page = await website.browse('/create', { method: 'POST', body });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '30']);
    const html = await page.text();
    expect(html).toContain('More codes are waiting to be drawn');
    expect(html).toContain(`value="${content}"`);
  },
);

test('a design that takes too much CPU time to examine gets a form that says so and keeps its input', async () => {
  limit({ cpuMs: 1 });
  const page = await preview();
  expect([page.status, page.headers.get('retry-after')]).toEqual([422, null]);
  const html = await page.text();
  expect(html).toContain('Checking how scanners read this code took too long.');
  expect(html).toContain(`value="${content}"`);
  const receipt = await website.browse('/create/receipt', {
    method: 'POST',
    headers: { accept: '*/*' },
    body: posted(),
  });
  expect([receipt.status, await receipt.json()]).toEqual([200, {}]);
});

test('a look that takes too much CPU time to examine is not saved, and its page says so', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  const path = `/user/qrcodes/${id}/look`;
  const use = () =>
    website.browse(path, { method: 'POST', body: new URLSearchParams({ ...STYLED, intent: 'use' }), as });
  limit({ cpuMs: 1 });
  const page = await use();
  expect([page.status, page.headers.get('retry-after')]).toEqual([422, null]);
  expect(await page.text()).toContain('Checking how scanners read this code took too long.');
  limit({ cpuMs: 60_000, timeoutMs: 1 });
  const late = await use();
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await late.text()).toContain('More codes are waiting to be drawn');
});

test('a download that times out on a busy machine gets a page that says when to retry', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  limit({ timeoutMs: 1 });
  const file = await website.browse(`/user/qrcodes/${id}/download?format=png`, { as });
  expect([file.status, file.headers.get('retry-after')]).toEqual([503, '30']);
});

test("with a full queue, a download gets an error page, and the code's page has no receipt", async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  await occupy(everybody(), 2);
  const file = await website.browse(`/user/qrcodes/${id}/download?format=png`, { as });
  expect([file.status, file.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await file.text()).toContain('<h1>One moment, please</h1>');
  const page = await website.browse(`/user/qrcodes/${id}`, { as });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('not checked just now');
});

test('with a full queue, the page of a print sheet says that texts may be cut', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  await occupy(everybody(), 2);
  const page = await website.browse(`/user/qrcodes/sheet?id=${id}`, { as });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Update the picture to see whether all texts fit on the labels.');
});

test('a print sheet that is still queued after a minute gets a page that says when to retry', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  const { status } = await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { style: LOOK }, as);
  expect(status).toBe(200);
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  const now = performance.now.bind(performance);
  let waitedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs);
  onTestFinished(() => {
    pool.run = run;
    clock.mockRestore();
  });
  pool.run = () => {
    waitedMs += 40_000;
    return Promise.reject(new PoolRefusal('busy', 10));
  };
  const sheet = await website.browse(`/user/qrcodes/sheet/download?id=${id}`, { as });
  expect([sheet.status, sheet.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await sheet.text()).toContain('<h1>One moment, please</h1>');
  expect(waitedMs).toBeGreaterThan(60_000);
});

test('too many requests by one account or one IP address are refused', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  await occupy(
    Array.from({ length: 12 }, () => ({ account: as.email, networks: [randomUUID()] })),
    1,
  );
  const file = await website.browse(`/user/qrcodes/${id}/download?format=png`, { as });
  expect([file.status, file.headers.get('retry-after')]).toEqual([429, '5']);
  const other = await website.host.account();
  const theirs = await website.host.code(other.id);
  const answer = await website.browse(`/user/qrcodes/${theirs.id}/download?format=png`, { as: other });
  expect(answer.status).toBe(200);

  leaving.abort();
  await occupy(
    Array.from({ length: 12 }, () => ({ networks: ['192.0.2.9'] })),
    1,
  );
  const here = { 'x-socket-address': '192.0.2.9' };
  const page = await preview(here);
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await page.text()).toContain(`value="${content}"`);
  const receipt = await website.browse('/create/receipt', {
    method: 'POST',
    headers: { ...here, accept: '*/*' },
    body: posted(),
  });
  expect([receipt.status, receipt.headers.get('retry-after')]).toEqual([429, '5']);
});

test('errors of a drawing keep their class when the development server reloads the module', async () => {
  vi.resetModules();
  const { draw } = await import('~/codes/pictures/drawing-pool.server');
  const { CodeTooLongError } = await import('~/codes/pictures/code-image');
  const order = { payload: 'x'.repeat(5_000), format: 'pdf' as const, size: 100 };
  await expect(draw(await scopeOf(), 'makeFile', order)).rejects.toBeInstanceOf(CodeTooLongError);
});
