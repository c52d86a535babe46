import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readCode, readCounts } from './stored-visits';

const JSON_CALLER = { headers: { accept: 'application/json' } };
const PIXEL = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/124.0 Mobile Safari/537.36';
const GALAXY = PIXEL.replace('Pixel 8', 'SM-S921B');
const NOBODYS = 'ZZZZZZZZ';
let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
});

afterAll(() => host.close());

const visitsOf = async (code: { id: string }) => readCode(host.db, code.id);
const visitsOfNobodysCodes = async () =>
  (await readCounts(host.db)).raw
    .filter(({ code_id }) => code_id === null)
    .reduce((sum, row) => sum + row.count, 0);

test('a scan of a link redirects to its target and is counted once', async () => {
  const code = await host.code(owner.id, { content: 'https://destination.example/menu?a=1#b' });
  const answer = await host.request(`/r/${code.slug}`, { headers: { 'x-request-id': 'a-scan-of-ours' } });
  expect(answer.status).toBe(302);
  expect(Object.fromEntries(answer.headers)).toEqual({
    location: 'https://destination.example/menu?a=1#b',
    'cache-control': 'no-store',
    'x-request-id': 'a-scan-of-ours',
  });
  expect(await visitsOf(code)).toEqual({
    raw: [{ source: 'scan', class: 'human', count: 1 }],
    hours: [{ source: 'scan', class: 'human', count: 1 }],
    totals: [{ scans: 1, clicks: 0, others: 0 }],
    visitors: [{ day: '2026-03-02', count: 1 }],
  });
});

test('every response to a scan has a request id, a new one if none was given', async () => {
  const [link, text] = [await host.code(owner.id), await host.code(owner.id, { type: 'text', content: 'x' })];
  for (const init of [{}, JSON_CALLER, { headers: { 'x-request-id': 'not an id' } }]) {
    for (const slug of [link.slug, text.slug, NOBODYS]) {
      const answer = await host.request(`/r/${slug}`, init);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  }
});

test.each(['debug', 'info'] as const)('at level %s, each visit is logged or none is', async (level) => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const own = await createTestHost({ log });
  const code = await own.code((await own.account()).id);
  const headers = { 'x-request-id': 'a-scan-of-ours' };
  const startedAt = performance.now();
  await own.request(`/r/${code.slug}?secret=1`, { headers });
  await own.request(`/r/${NOBODYS}`, { headers });
  const logged = { requestId: 'a-scan-of-ours', method: 'GET', ms: expect.any(Number), level: 20 };
  expect(lines.filter(({ msg }) => msg === 'visit answered')).toMatchObject(
    level === 'debug'
      ? [
          { ...logged, path: `/r/${code.slug}`, kind: 'redirect' },
          { ...logged, path: `/r/${NOBODYS}`, kind: 'page' },
        ]
      : [],
  );
  for (const { ms } of lines) expect(ms ?? 0).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt));
  await own.close();
});

test('a visit to the copied link is a click', async () => {
  const code = await host.code(owner.id);
  expect((await host.request(`/l/${code.slug}`)).status).toBe(302);
  expect((await visitsOf(code)).totals).toEqual([{ scans: 0, clicks: 1, others: 0 }]);
});

test('slugs ignore case, and read lookalike letters as digits', async () => {
  const code = await host.code(owner.id, { slug: '7K3M9Q01' });
  for (const path of ['/r/7K3M9Q01', '/R/7K3M9Q01', '/r/7k3m9q01', '/R/7k3m9qOl']) {
    expect((await host.request(path)).headers.get('location')).toBe(code.content);
  }
  expect((await host.request('/L/7k3m9q01')).headers.get('location')).toBe(code.content);
  expect((await visitsOf(code)).totals).toEqual([{ scans: 4, clicks: 1, others: 0 }]);
});

test('HEAD gets the response of GET without a body, and is not counted', async () => {
  const [link, text] = [
    await host.code(owner.id),
    await host.code(owner.id, { type: 'text', content: 'Hello' }),
  ];
  const answer = await host.request(`/r/${link.slug}`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, link.content]);
  const shown = await host.request(`/l/${text.slug}`, { method: 'HEAD', ...JSON_CALLER });
  expect([shown.status, await shown.text()]).toEqual([200, '']);
  expect((await visitsOf(link)).raw).toEqual([]);
  expect((await visitsOf(text)).raw).toEqual([]);
});

test.each(['sec-purpose', 'purpose', 'x-moz'])(
  'a prefetch (%s) gets the response and is not counted',
  async (header) => {
    const code = await host.code(owner.id);
    const prefetched = await host.request(`/l/${code.slug}`, { headers: { [header]: 'prefetch' } });
    expect(prefetched.status).toBe(302);
    expect((await visitsOf(code)).raw).toEqual([]);
  },
);

test('robots, previews and the owner are counted separately and are no visitors', async () => {
  const code = await host.code(owner.id);
  await host.request(`/r/${code.slug}`, { headers: { 'user-agent': 'Googlebot/2.1' } });
  await host.request(`/r/${code.slug}`, { headers: { 'user-agent': 'WhatsApp/2.23.20.0 A' } });
  await host.request(`/r/${code.slug}`, { token: owner.token });
  expect(await visitsOf(code)).toEqual({
    raw: ['bot', 'owner', 'preview'].map((kind) => ({ source: 'scan', class: kind, count: 1 })),
    hours: ['bot', 'owner', 'preview'].map((kind) => ({ source: 'scan', class: kind, count: 1 })),
    totals: [{ scans: 0, clicks: 0, others: 3 }],
    visitors: [],
  });
});

test('text and e-mail codes return what the website shows', async () => {
  const text = await host.code(owner.id, { type: 'text', content: 'Häl\n<b>lo</b>' });
  const shown = await host.request(`/r/${text.slug}`, JSON_CALLER);
  expect(shown.headers.get('content-type')).toBe('application/json');
  expect((await shown.json()).data).toEqual({ kind: 'text', text: 'Häl\n<b>lo</b>', links: [] });

  const email = await host.code(owner.id, {
    type: 'email',
    content: 'a@b.example',
    subject: 'Hi',
    body: 'x',
  });
  expect(await (await host.request(`/l/${email.slug}`, JSON_CALLER)).json()).toMatchObject({
    data: { kind: 'email', address: 'a@b.example', subject: 'Hi', body: 'x' },
  });
  expect((await visitsOf(email)).totals).toEqual([{ scans: 0, clicks: 1, others: 0 }]);
});

test('a private code redirects only its owner', async () => {
  const code = await host.code(owner.id, { visibility: 'private' });
  const stranger = await host.account();
  const own = await host.request(`/r/${code.slug}`, { token: owner.token, ...JSON_CALLER });
  expect([own.status, own.headers.get('location')]).toEqual([302, code.content]);
  for (const token of [undefined, stranger.token, 'not a token', `${owner.token}x`]) {
    const refused = await host.request(`/r/${code.slug}`, { token, ...JSON_CALLER });
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ status: 'error', code: 'code_private' });
  }
  expect(await visitsOf(code)).toMatchObject({
    totals: [{ scans: 4, clicks: 0, others: 1 }],
    visitors: [],
  });
});

test('a deleted code is reported as deleted, to its owner too, and the visit is counted', async () => {
  const code = await host.code(owner.id, { deletedAt: host.clock.now() });
  const answer = await host.request(`/r/${code.slug}`, { token: owner.token, ...JSON_CALLER });
  expect([answer.status, (await answer.json()).code]).toEqual([404, 'code_deleted']);
  const refused = await host.request(`/r/${code.slug}`, JSON_CALLER);
  expect((await refused.json()).code).toBe('code_deleted');
  expect((await visitsOf(code)).totals).toEqual([{ scans: 1, clicks: 0, others: 1 }]);
});

test.each([NOBODYS, 'SHORT', 'TOOLONGTOBEONE', 'ÜBER%20ALL', '%00', "';drop--", '..%2F..%2Fx'])(
  'an unknown code (%s) is reported as unknown, and its visit is counted without a code',
  async (slug) => {
    const before = await visitsOfNobodysCodes();
    const answer = await host.request(`/r/${slug}`, JSON_CALLER);
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'code_unknown']);
    expect(await visitsOfNobodysCodes()).toBe(before + 1);
  },
);

test('the URL of a Wi-Fi code is unknown', async () => {
  const code = await host.code(owner.id, { type: 'wifi', content: 'WIFI:T:nopass;S:cafe;;' });
  const answer = await host.request(`/r/${code.slug}`, JSON_CALLER);
  expect([answer.status, (await answer.json()).code]).toEqual([404, 'code_unknown']);
  expect((await visitsOf(code)).raw).toEqual([]);
});

test('a browser on the short domain is sent to the website with a token, and counted once', async () => {
  const code = await host.code(owner.id, { type: 'text', content: 'Hello' });
  const sent = await host.request(`/R/${code.slug.toLowerCase()}`, { headers: { accept: 'text/html' } });
  expect(sent.status).toBe(302);
  const location = new URL(sent.headers.get('location') ?? '');
  expect(location.origin + location.pathname).toBe(`https://www.quadrille.example/r/${code.slug}`);

  const shown = await host.request(`/r/${code.slug}${location.search}`, JSON_CALLER);
  expect((await shown.json()).data).toEqual({ kind: 'text', text: 'Hello', links: [] });
  expect((await visitsOf(code)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
});

test('visits with a token that is forged, expired, or of another code or source are counted', async () => {
  const [code, other] = [
    await host.code(owner.id, { type: 'text' }),
    await host.code(owner.id, { type: 'text' }),
  ];
  const markOf = async (path: string) =>
    new URL((await host.request(path)).headers.get('location') ?? '').search;
  const [own, foreign] = [await markOf(`/r/${code.slug}`), await markOf(`/r/${other.slug}`)];
  const tried = ['?counted=1.x', '?counted=', foreign];
  for (const search of tried) await host.request(`/r/${code.slug}${search}`, JSON_CALLER);
  await host.request(`/l/${code.slug}${own}`, JSON_CALLER);
  host.clock.advance(121_000);
  await host.request(`/r/${code.slug}${own}`, JSON_CALLER);
  expect((await visitsOf(code)).totals).toEqual([{ scans: 5, clicks: 1, others: 0 }]);
});

test('browsers at codes that are not served are sent to the website with a token too', async () => {
  const code = await host.code(owner.id, { visibility: 'private' });
  const [hidden, unknown, odd] = await Promise.all(
    [code.slug, NOBODYS, 'a%2F..%3Fx'].map(async (slug) =>
      (await host.request(`/l/${slug}`)).headers.get('location'),
    ),
  );
  expect(hidden).toMatch(
    new RegExp(`^https://www.quadrille.example/l/${code.slug}\\?counted=\\d+\\.[\\w-]{43}$`),
  );
  expect(unknown).toMatch(/^https:\/\/www\.quadrille\.example\/l\/ZZZZZZZZ\?counted=/);
  expect(odd).toMatch(/^https:\/\/www\.quadrille\.example\/l\/ax\?counted=/);
});

test('the redirect for an unknown code is short, and the visit is counted once', async () => {
  const before = await visitsOfNobodysCodes();
  for (const entered of ['%F0%9F%98%80%0D%0A', 'x'.repeat(5_000), 'n0-such-thing']) {
    const location = new URL((await host.request(`/r/${entered}`)).headers.get('location') ?? '');
    expect(location.pathname).toMatch(/^\/r\/[\w-]{1,64}$/);
    const shown = await host.request(location.pathname + location.search, JSON_CALLER);
    expect((await shown.json()).code).toBe('code_unknown');
  }
  expect(await visitsOfNobodysCodes()).toBe(before + 3);
});

test('two phones behind one IP address are two visitors, the same phone is one', async () => {
  const code = await host.code(owner.id);
  const scan = (userAgent: string, address: string) =>
    host.request(`/r/${code.slug}`, { headers: { 'user-agent': userAgent, 'x-client-ip': address } });
  for (const userAgent of [PIXEL, GALAXY, PIXEL]) await scan(userAgent, '192.0.2.7');
  await scan(PIXEL, '192.0.2.8');
  const { totals, visitors } = await visitsOf(code);
  expect([totals, visitors]).toEqual([
    [{ scans: 4, clicks: 0, others: 0 }],
    [{ day: '2026-03-02', count: 3 }],
  ]);
});

test('no IP address or user agent is stored', async () => {
  const code = await host.code(owner.id);
  await host.request(`/r/${code.slug}`, {
    headers: { 'user-agent': PIXEL.replace('Pixel 8', 'Marker'), 'x-client-ip': '198.51.100.77' },
  });
  const tables = ['visits', 'visit_hours', 'code_totals', 'visitor_days', 'visit_lanes', 'visit_salts'];
  for (const table of tables) {
    const rows = await host.db.query<{ row: string }>({
      name: '',
      text: `select t::text as row from ${table} t`,
      values: [],
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => /Marker|198\.51/.test(row))).toEqual([]);
  }
});
