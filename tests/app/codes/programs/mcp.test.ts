import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { insertLogo } from '#host/codes/logos/store';
import { COUNTED_HEADER, RESOURCE_HEADER } from '#runtime/internal-key';
import { makeApiKey } from '../../../support/api-keys';
import { connectAssistant } from '../../../support/assistant';
import { createConnector, ISSUER } from '../../../support/connector';
import type { TestAccount } from '../../../support/host';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  website = await createTestWebsite({ '/mcp': 'codes/programs/mcp-route.ts' });
});
beforeEach(async () => {
  account = await website.host.account();
  key = (await makeApiKey(website.host, account)).secret;
});
afterAll(() => website.close());

const connect = (secret = key, mode: 'auto' | 'legacy' = 'auto') => connectAssistant(website, secret, mode);

const post = (body: unknown, headers: Record<string, string> = {}, secret: string | null = key) =>
  website.browse('/mcp', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...headers,
    },
  });
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test.each(['auto', 'legacy'] as const)(
  'a client of the kind %s makes, finds, changes, restyles, counts and draws a code',
  async (mode) => {
    const { client, call } = await connect(key, mode);
    const made = await call('create_code', { type: 'link', content: 'https://a.example/', tags: ['Menu'] });
    expect([made.isError, made.data.type]).toEqual([false, 'link']);
    expect(JSON.parse(made.text)).toEqual(made.data);
    const { id } = made.data;
    const found = await call('find_codes', { tag: 'menu', limit: 5 });
    expect(found.data.codes.map((code: { id: string }) => code.id)).toEqual([id]);
    const changed = await call('change_code', { id, content: 'https://b.example/', name: 'Table 7' });
    expect(changed.data).toMatchObject({ id, content: 'https://b.example/', name: 'Table 7' });
    const drawn = await call('draw_code', { id });
    expect([drawn.text, drawn.data]).toMatchObject([expect.any(String), { holds: made.data.scanLink }]);
    // A busy machine leaves out the grade of a plain code.
    expect(['A', null]).toContain(drawn.data.grade);
    const picture = drawn.content.find(({ type }) => type === 'image') as { data: string; mimeType: string };
    expect(picture.mimeType).toBe('image/png');
    expect(Buffer.from(picture.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
    const styled = await call('restyle_code', { id, style: { moduleShape: 'dots' } });
    expect(styled.data.style).toMatchObject({ moduleShape: 'dots' });
    const figures = await call('read_figures', { period: 30, code: id });
    expect(figures.data.figures.visits).toEqual({ definition: 'visits', value: 0 });
    await client.close();
  },
  120_000,
);

test('every tool is titled, described, and says what it does to codes', async () => {
  const { client } = await connect();
  const { tools } = await client.listTools();
  const hints = tools.map(({ name, annotations }) => [
    name,
    annotations?.readOnlyHint,
    annotations?.destructiveHint,
    annotations?.idempotentHint,
  ]);
  expect(hints).toEqual([
    ['find_codes', true, false, true],
    ['create_code', false, false, false],
    ['restyle_code', false, true, true],
    ['change_code', false, true, true],
    ['read_figures', true, false, true],
    ['draw_code', true, false, true],
  ]);
  for (const { title, description, inputSchema, outputSchema } of tools) {
    expect(title).toBeTruthy();
    expect(description?.length).toBeGreaterThan(80);
    expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
  }
  expect(JSON.stringify(tools).length).toBeLessThan(42_000);
});

test('every mistake comes back in words, with its place', async () => {
  const { call } = await connect();
  const { isError, text } = await call('create_code', {
    type: 'link',
    content: 'no address',
    name: 'x'.repeat(90),
  });
  expect(isError).toBe(true);
  expect(text).toMatch(/^Some fields need another look\./);
  expect(text).toContain('/content: Enter a web address such as https://example.com.');
  expect(text).toContain('/name: Shorten the name to at most 80 characters. (name_too_long)');
  const limit = await call('find_codes', { limit: 1000 });
  expect(limit.text).toContain('?limit: Send a whole number from 1 to 100.');
});

test('a look that decoders do not read is not drawn', async () => {
  const style = { ...DEFAULT_STYLE, moduleColour: '#d0d0d0', cornerColour: '#d0d0d0' };
  const { id } = await website.host.code(account.id, { style });
  const { isError, text, content } = await (await connect()).call('draw_code', { id });
  expect([isError, content.length]).toEqual([true, 1]);
  expect(text).toContain('(grade_too_low)');
}, 120_000);

test('each key does what its permission and its tag allow', async () => {
  const inside = (await website.host.code(account.id, { tags: ['Menu'] })).id;
  const outside = (await website.host.code(account.id)).id;
  const host = website.host;
  const secrets = {
    change: key,
    read: (await makeApiKey(host, account, { permission: 'read' })).secret,
    tagged: (await makeApiKey(host, account, { tag: 'Menu' })).secret,
    stranger: (await makeApiKey(host, await host.account())).secret,
    unsubscribed: (await makeApiKey(host, await host.account({ access: false }))).secret,
  };
  const failed: Record<string, string[]> = {};
  for (const [kind, secret] of Object.entries(secrets)) {
    const { call } = await connect(secret);
    const results = {
      find: await call('find_codes'),
      create: await call('create_code', { type: 'text', content: 'hello' }),
      changeInside: await call('change_code', { id: inside, name: `Of ${kind}` }),
      changeOutside: await call('change_code', { id: outside, name: `Of ${kind}` }),
      restyle: await call('restyle_code', { id: inside, style: null }),
      figures: await call('read_figures', { period: 7 }),
      drawInside: await call('draw_code', { id: inside }),
      drawOutside: await call('draw_code', { id: outside }),
    };
    failed[kind] = Object.entries(results)
      .filter(([, { isError }]) => isError)
      .map(([name, { text }]) => `${name}: ${text.split('\n')[0]}`);
  }
  const missing = 'Not found.';
  const unpaid = 'A running subscription is needed for this.';
  expect(failed).toEqual({
    change: [],
    read: ['create', 'changeInside', 'changeOutside', 'restyle'].map(
      (name) => `${name}: This is not allowed.`,
    ),
    tagged: [`changeOutside: ${missing}`, `drawOutside: ${missing}`],
    stranger: ['changeInside', 'changeOutside', 'restyle', 'drawInside', 'drawOutside'].map(
      (name) => `${name}: ${missing}`,
    ),
    unsubscribed: [
      `create: ${unpaid}`,
      `changeInside: ${unpaid}`,
      `changeOutside: ${unpaid}`,
      `restyle: ${unpaid}`,
      `figures: ${unpaid}`,
      `drawInside: ${missing}`,
      `drawOutside: ${missing}`,
    ],
  });
}, 120_000);

test('an id that is none is not found', async () => {
  const { call } = await connect();
  for (const id of ['nonsense', '../codes', '', 7, undefined])
    for (const tool of ['change_code', 'restyle_code', 'draw_code'])
      expect([id, tool, (await call(tool, { id })).text.split('\n')[0]]).toEqual([id, tool, 'Not found.']);
});

test('nobody without a key gets in, whatever they ask', async () => {
  const revoked = await makeApiKey(website.host, account);
  await website.host.request(`/api/account/keys/${revoked.id}`, { method: 'DELETE', token: account.token });
  for (const secret of [null, '', key.slice(0, -1), account.token, revoked.secret, 'x y']) {
    const answer = await post(LIST, {}, secret);
    expect([secret, answer.status]).toEqual([secret, 401]);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer (?:error="invalid_token", )?resource_metadata="http:\/\/localhost\/\.well-known\/oauth-protected-resource\/mcp"$/,
    );
    expect((await answer.json()).code).toBe('unauthenticated');
  }
  expect((await website.browse('/mcp', { as: account })).status).toBe(401);
});

test('pages of other sites are refused, those of this one and programs are not', async () => {
  const statusOf = async (origin: string) => (await post(LIST, { origin })).status;
  expect(await statusOf('https://evil.example')).toBe(403);
  expect(await statusOf('null')).toBe(403);
  expect(await statusOf('http://localhost')).toBe(200);
});

test('there is nothing to be read, ended or sent too large', async () => {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  expect((await website.browse('/mcp', { headers })).status).toBe(405);
  expect((await website.browse('/mcp', { method: 'DELETE', headers })).status).toBe(405);
  expect((await post('x'.repeat(70_000))).status).toBe(413);
  expect((await post('{')).status).toBe(400);
  expect((await post(LIST, { 'content-type': 'text/plain' })).status).toBe(415);
});

test('requests share the limit of the key with its other calls', async () => {
  for (let call = 0; call < 299; call += 1) await website.host.request('/api/v1/key', { token: key });
  const last = await post(LIST);
  expect([last.status, last.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=0')]);
  const answer = await post(LIST);
  expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
});

const leftOf = async () => {
  const { headers } = await website.host.request('/api/v1/key', { token: key });
  return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
};
const calling = (id: number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('each tool that is called is one call of the limit, also one that draws an own logo', async () => {
  const { host } = website;
  const logo = { id: randomUUID(), accountId: account.id, name: 'mark.png', png: await squarePng() };
  await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
  const { id } = await host.code(account.id, { logoId: logo.id });
  // The first request loads the tools, in the time of its calls to the host.
  await post(LIST);
  const before = await leftOf();
  expect(await (await post(calling(1, 'draw_code', { id }))).text()).toContain('image/png');
  expect(await (await post(calling(2, 'find_codes', {}))).text()).toContain(id);
  expect(before - (await leftOf())).toBe(3);
});

test('several tools in one request are as many calls', async () => {
  const before = await leftOf();
  const both = await post([calling(1, 'find_codes', {}), calling(2, 'find_codes', { tag: 'Menu' })]);
  expect([both.status, (await both.text()).match(/nextCursor/g)?.length]).toEqual([200, 4]);
  expect(before - (await leftOf())).toBe(3);
});

test.each(['auto', 'legacy'] as const)(
  'a code is made once with the same idempotency key, by a client of the kind %s',
  async (mode) => {
    const { client, call } = await connect(key, mode);
    const wanted = { type: 'link', content: 'https://a.example/', idempotencyKey: 'menu-table-7' };
    const first = await call('create_code', wanted);
    const again = await call('create_code', wanted);
    expect([again.isError, again.data]).toEqual([false, first.data]);
    const other = await call('create_code', { ...wanted, content: 'https://b.example/' });
    expect([other.isError, other.text]).toEqual([true, expect.stringMatching(/idempotency key/i)]);
    await call('create_code', { ...wanted, idempotencyKey: undefined });
    expect((await call('find_codes')).data.codes).toHaveLength(2);
    await client.close();
  },
);

test.each(['', 'a"b', 'é\n', 7])('%j is no idempotency key', async (idempotencyKey) => {
  const { call } = await connect();
  const wanted = { type: 'link', content: 'https://a.example/', idempotencyKey };
  expect((await call('create_code', wanted)).text).toContain('/idempotencyKey: Send 1 to 255');
  expect((await call('find_codes')).data.codes).toEqual([]);
});

test('an access token for assistants works here and nowhere else, also for a code with a logo', async () => {
  const { host } = website;
  const tokenFor = async (resource: string) => {
    const { tokens } = await createConnector(host).connect(account, {}, { resource: ISSUER + resource });
    return tokens.access_token;
  };
  const [token, apiToken] = [await tokenFor('/mcp'), await tokenFor('/api/v1')];
  const { call } = await connect(token);
  const logo = new FormData();
  logo.set('logo', new File([new Uint8Array(await squarePng())], 'logo.png', { type: 'image/png' }));
  const stored = await host.request('/api/v1/logos', { method: 'POST', token: key, body: logo });
  const { id: logoId } = (await stored.json()).data;
  const made = await host.request('/api/v1/codes', {
    method: 'POST',
    token: key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'link',
      content: 'https://a.example/',
      logo: { kind: 'upload', id: logoId },
    }),
  });
  const { id } = (await made.json()).data;
  const drawn = await call('draw_code', { id });
  expect(drawn.isError).toBe(false);
  expect(drawn.content.map(({ type }) => type)).toContain('image');

  expect((await post(LIST, {}, apiToken)).status).toBe(401);
  expect((await host.request('/api/v1/tags', { token: apiToken })).status).toBe(200);
  expect((await host.request('/api/v1/tags', { token })).status).toBe(401);
  const forged = { [RESOURCE_HEADER]: 'mcp', 'x-internal-key': 'guessed' };
  expect((await host.request('/api/v1/tags', { token, headers: forged })).status).toBe(401);
  const before = await leftOf();
  const counted = { [COUNTED_HEADER]: '1', 'x-internal-key': 'guessed' };
  await host.request('/api/v1/tags', { token: key, headers: counted });
  expect(before - (await leftOf())).toBe(2);
});

function squarePng(): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 64, channels: 3, background: '#b03a2e' } })
    .png()
    .toBuffer();
}
