import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '#contract/errors';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { insertLogo } from '#host/codes/logos/store';
import type { ScanReport } from '~/codes/look/scan-report';
import { makeApiKey } from '../../../support/api-keys';
import type { TestAccount } from '../../../support/host';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  website = await createTestWebsite({ '/api/v1/codes/:id/:file': 'codes/programs/file-route.ts' });
});
beforeEach(async () => {
  account = await website.host.account();
  key = (await makeApiKey(website.host, account, { permission: 'read' })).secret;
});
afterAll(() => website.close());

const codeWith = async (style: Partial<Style> | null, more = {}) =>
  (await website.host.code(account.id, { style: style && { ...DEFAULT_STYLE, ...style }, ...more })).id;

function read(id: string, file: string, headers: Record<string, string> = {}, method = 'GET') {
  const authorization = `Bearer ${key}`;
  return website.browse(`/api/v1/codes/${id}/${file}`, { method, headers: { authorization, ...headers } });
}

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return Problem.parse(await response.json());
}

test.each([
  ['svg', 'image/svg+xml', 'qr-table-7-1024.svg'],
  ['png', 'image/png', 'qr-table-7-1024.png'],
  ['jpeg', 'image/jpeg', 'qr-table-7-1024.jpg'],
  ['pdf', 'application/pdf', 'qr-table-7-40mm.pdf'],
])('a key gets a %s file', async (format, type, name) => {
  const answer = await read(await codeWith(null, { name: 'Table 7' }), `file.${format}`);
  const { byteLength } = await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'content-length': String(byteLength),
    'cache-control': 'private, no-cache',
    ratelimit: expect.stringMatching(/^"default";r=299;/),
    'ratelimit-policy': '"default";q=300;w=60',
    'content-security-policy': "default-src 'none'; img-src data:; sandbox",
  });
  expect(answer.headers.has('scan-grade')).toBe(false);
});

test('a look comes with its grade, in the size that is asked for', async () => {
  const answer = await read(await codeWith({ moduleShape: 'dots' }), 'file.svg?size=400');
  expect(answer.headers.get('scan-grade')).toMatch(/^[ABC];read=\d+;of=36$/);
  expect(await answer.text()).toContain('width="400"');
});

test('the file may hold the content itself', async () => {
  const answer = await read(await codeWith(null), 'file.svg?variant=direct');
  expect(answer.headers.get('content-disposition')).toContain('-direct-');
});

test('whoever has the file is not sent it again, until anything that is drawn changes', async () => {
  const id = await codeWith({ moduleShape: 'dots' });
  const etag = (await read(id, 'file.svg')).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  const again = await read(id, 'file.svg', { 'if-none-match': `"other", W/${etag}` });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  const others = [
    await read(id, 'file.svg?size=400'),
    await read(id, 'file.png'),
    await read(id, 'file.svg?variant=direct'),
  ];
  await website.host.request(`/api/qrcodes/${id}`, {
    method: 'PATCH',
    token: account.token,
    body: JSON.stringify({ style: { ...DEFAULT_STYLE, moduleShape: 'rounded' } }),
  });
  others.push(await read(id, 'file.svg', { 'if-none-match': etag }));
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set([etag, ...others.map(({ headers }) => headers.get('etag'))]).size).toBe(5);
});

test('a look that decoders do not read is refused with what would help, and not a byte of it is sent', async () => {
  const id = await codeWith({ moduleColour: '#d0d0d0', cornerColour: '#d0d0d0' });
  const answer = await read(id, 'file.png');
  expect([answer.status, answer.headers.get('etag')]).toEqual([422, null]);
  const { code, type, errors } = await problemOf(answer);
  expect([code, type]).toEqual(['file_unreadable', 'http://localhost/developers/errors#file_unreadable']);
  expect(errors[0]).toMatchObject({ pointer: '/style', code: 'grade_too_low' });
});

test('a refusal says what was read, and what would help in values that can be sent', async () => {
  const { fixFor, gradeText } = await import('~/codes/programs/unreadable.server');
  const scan: ScanReport = {
    grade: null,
    read: 21,
    of: 36,
    missed: [{ view: 'dim', decoders: ['zbar'] }],
    proofs: [],
  };
  expect(gradeText(scan)).toBe(
    'No grade: read in 21 of 36 views; 25 are needed. Not read by every decoder: dim.',
  );
  expect(gradeText({ ...scan, grade: 'B', read: 31, missed: [] })).toBe('Grade B: read in 31 of 36 views.');
  const design = {
    payload: 'x',
    style: { ...DEFAULT_STYLE, ringShape: 'circle' as const },
    logo: new Uint8Array(),
  };
  expect(fixFor('square_corners', design)).toEqual({
    pointer: '/style',
    code: 'square_corners',
    message: 'Would help: Square corners (style {"ringShape":"square"}).',
  });
  expect(fixFor('no_logo', design).message).toBe('Would help: No logo (logo {"kind":"none"}).');
});

test('without its logo there is no file', async () => {
  const answer = await read(await codeWith(null, { logoPreset: 'missing.svg' }), 'file.png');
  expect((await problemOf(answer)).errors).toMatchObject([{ pointer: '/logo', code: 'not_read_back' }]);
});

test.each([
  ['file.png?size=299', '?size', 'Send a whole number of pixels from 300 to 4096.'],
  ['file.png?size=1e3', '?size', 'Send a whole number of pixels from 300 to 4096.'],
  ['file.pdf?size=501', '?size', 'Send a whole number of millimetres from 15 to 500.'],
  ['file.png?variant=other', '?variant', 'Send tracked or direct.'],
  ['file.png?width=400', '?width', 'There is no field or parameter with this name here.'],
])('%s is refused at %s', async (file, pointer, message) => {
  const answer = await read(await codeWith(null), file);
  expect(answer.status).toBe(422);
  const { code, errors } = await problemOf(answer);
  expect([code, errors[0]?.pointer, errors[0]?.message]).toEqual(['invalid', pointer, message]);
});

test.each(['file.gif', 'file.png.svg', 'file', 'other.png'])('%s is not found', async (file) => {
  const answer = await read(await codeWith(null), file);
  expect([answer.status, (await problemOf(answer)).code]).toEqual([404, 'not_found']);
});

test('each key gets the files of the codes that it finds', async () => {
  const [tagged, untagged] = [await codeWith(null, { tags: ['Menu'] }), await codeWith(null)];
  const stranger = (await makeApiKey(website.host, await website.host.account())).secret;
  const menu = (await makeApiKey(website.host, account, { tag: 'Menu' })).secret;
  const statuses: number[] = [];
  const ask = async (id: string, secret: string) => {
    const answer = await read(id, 'file.svg', { authorization: `Bearer ${secret}` });
    statuses.push(answer.status);
    if (answer.status !== 200) await problemOf(answer);
  };
  for (const secret of [key, menu, stranger]) for (const id of [tagged, untagged]) await ask(id, secret);
  expect(statuses).toEqual([200, 200, 200, 404, 404, 404]);
  for (const id of [randomUUID(), 'nonsense', '%00']) {
    const answer = await read(id, 'file.svg');
    expect([id, answer.status]).toEqual([id, 404]);
  }
});

test('a deleted code has no file', async () => {
  const id = await codeWith(null);
  await website.host.request(`/api/qrcodes/${id}`, { method: 'DELETE', token: account.token });
  expect((await problemOf(await read(id, 'file.svg'))).code).toBe('code_deleted');
});

test('nobody without a key gets one, whatever their session', async () => {
  const id = await codeWith(null);
  const path = `/api/v1/codes/${id}/file.svg`;
  const headers = (authorization: string) => ({ authorization });
  const answers = [
    await website.browse(path, { as: account }),
    await website.browse(path, { as: account, headers: headers(`Bearer ${account.token}`) }),
    await website.browse(path, { headers: headers(`Bearer ${key.slice(0, -1)}`) }),
    await website.browse(path, { headers: headers(`Basic ${key}`) }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('/oauth-protected-resource/api/v1"');
    expect((await problemOf(answer)).code).toBe('unauthenticated');
  }
});

test('files count against the limit of the key', async () => {
  const id = await codeWith(null);
  const asking = () => website.host.request(`/api/v1/codes/${id}`, { token: key });
  for (let call = 0; call < 300; call += 1) await asking();
  const answer = await read(id, 'file.svg');
  expect([answer.status, (await problemOf(answer)).code]).toEqual([429, 'rate_limited']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a file is one call of the limit, with an own logo too', async () => {
  const { orm } = website.host.db;
  const logo = { id: randomUUID(), accountId: account.id, name: 'mark.png', png: await squarePng() };
  await insertLogo(orm, { ...logo, createdAt: website.host.clock.now() });
  const id = await codeWith(null, { logoId: logo.id });
  const answer = await read(id, 'file.png');
  expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, '"default";r=299;t=60']);
  const next = await website.host.request('/api/v1/key', { token: key });
  expect(next.headers.get('ratelimit')).toMatch(/^"default";r=298;/);
});

test('without the host there is a problem document too', async () => {
  const id = await codeWith(null);
  await website.hostDown();
  const answer = await read(id, 'file.svg');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  expect((await problemOf(answer)).code).toBe('unavailable');
});

test('a web page gets a file, or the refusal of one, if the key names it', async () => {
  const shop = 'https://shop.example';
  key = (await makeApiKey(website.host, account, { permission: 'read', origins: [shop] })).secret;
  const id = await codeWith(null);
  const unreadable = await codeWith({ moduleColour: '#d0d0d0', cornerColour: '#d0d0d0' });
  const withoutLogo = await codeWith(null, { logoPreset: 'missing.svg' });
  const answers = [
    await read(id, 'file.svg', { origin: shop }),
    await read(id, 'file.svg?size=1', { origin: shop }),
    await read(unreadable, 'file.svg', { origin: shop }),
    await read(withoutLogo, 'file.svg', { origin: shop }),
    await read(randomUUID(), 'file.svg', { origin: shop }),
    await read(id, 'file.svg', { origin: 'https://other.example' }),
  ];
  const allowed = answers.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]);
  expect(allowed).toEqual([
    [200, shop],
    [422, shop],
    [422, shop],
    [422, shop],
    [404, shop],
    [403, null],
  ]);
  for (const { headers } of answers) expect(headers.get('vary')).toBe('Origin');
  expect(answers[0]?.headers.get('access-control-expose-headers')).toContain('Scan-Grade');
});

function squarePng(): Promise<Buffer> {
  return sharp({ create: { width: 64, height: 64, channels: 3, background: '#b03a2e' } })
    .png()
    .toBuffer();
}
