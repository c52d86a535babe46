import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { getCode } from '#contract/codes';
import { openBrowser, type TestBrowser, whereTo } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

interface Kept {
  id: string;
  content: string;
  logo: { kind: string; name: string } | null;
}

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'create.tsx',
    '/drafts/:id/logo': 'drafts.$id.logo.ts',
    '/user/qrcodes/:id': 'user.qrcodes.$id._index.tsx',
    '/user/qrcodes/:id/logo': 'user.qrcodes.$id.logo.ts',
    '/user/qrcodes/:id/download': 'user.qrcodes.$id.download.ts',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const LINK = { type: 'link', content: 'https://made.example/' };

/** A form as a browser sends it that has a field for a file. */
async function formWith(fields: Record<string, string>, hasLogo = false): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (hasLogo) {
    const create = { width: 40, height: 40, channels: 3, background: '#c4361f' } as const;
    const png = await sharp({ create }).png().toBuffer();
    form.set('logo', new File([new Uint8Array(png)], 'mark.png', { type: 'image/png' }));
  }
  return form;
}

async function codesOf({ token }: TestAccount): Promise<Kept[]> {
  return (await send(website.host, 'GET', '/api/qrcodes', undefined, { token })).body.data as Kept[];
}

/** Previews a design with an uploaded logo; answers the draft that keeps it. */
async function previewWithLogo(of = browser): Promise<string> {
  const answer = await of.post('/create', await formWith({ ...LINK, intent: 'preview' }, true));
  expect(answer.status).toBe(200);
  const id = /name="draft" value="([\w-]+)"/.exec(await answer.text())?.[1];
  if (!id) throw new Error('the design was not kept');
  return id;
}

test('a code is made once, however often its form is sent, and the design is forgotten', async () => {
  const draft = await previewWithLogo();
  const fields = { ...LINK, draft, key: 'the-key-of-a-form' };
  for (const _ of ['click', 'click']) {
    expect(whereTo(await browser.post('/create', fields))).toEqual([303, '/user/qrcodes']);
  }
  expect(await codesOf(account)).toMatchObject([{ content: LINK.content, logo: { name: 'mark.png' } }]);
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'qrcode_created' }]);
  expect(await (await browser.open('/create')).text()).not.toContain(draft);
});

test('a logo that was removed is on no code, with or without a preview after it', async () => {
  const draft = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft, removeLogo: 'on' });
  expect(await codesOf(account)).toMatchObject([{ logo: null }]);
  const again = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft: again, removeLogo: 'on', intent: 'preview' });
  await browser.post('/create', { ...LINK, draft: again });
  expect((await codesOf(account)).map(({ logo }) => logo)).toEqual([null, null]);
});

test('a logo chosen anew takes the place of the one before', async () => {
  const draft = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft, logoPreset: 'heart.svg' });
  expect(await codesOf(account)).toMatchObject([{ logo: { kind: 'preset', name: 'heart.svg' } }]);
});

test('the logo of a draft is shown to the browser that kept it, and to no other', async () => {
  const draft = await previewWithLogo();
  const own = await browser.open(`/drafts/${draft}/logo`);
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(own.headers.get('cache-control')).toMatch(/^private/);
  expect(own.headers.get('content-security-policy')).toContain('sandbox');
  const other = await openBrowser(website, account);
  expect((await other.open(`/drafts/${draft}/logo`)).status).toBe(404);
});

test('what decoders make of a drawing is told, and what one reads only where it is what was meant', async () => {
  const { makePreview } = await import('~/codes/preview.server');
  const { showCode } = await import('~/codes/downloads.server');
  const requestContext = () => ({ request: new Request('http://localhost/create'), context: {} });
  const look = async (content: string) => {
    const design = { type: 'text' as const, content, useWhiteBackground: false };
    const { id } = await website.host.code(account.id);
    const shown = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, account);
    const { code } = getCode.response.parse(shown.body).data;
    const preview = await makePreview(requestContext(), design, { visitor: '' });
    const page = await showCode(requestContext(), code, account.token);
    return { scanLink: code.scanLink, examinations: [preview?.examination, page.examination] };
  };
  const { scanLink, examinations } = await look('Bread & salt');
  const scan = { grade: 'A', of: 36 };
  expect(examinations).toMatchObject([
    { readBack: 'Bread & salt', scan },
    { readBack: scanLink, scan },
  ]);
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing draws');
  const { run } = pool;
  // A drawing of something else, as a mistake in drawing would make it.
  const wrong = vi
    .spyOn(pool, 'run')
    .mockImplementation((task, input, options) => run(task, { ...input, payload: 'another' }, options));
  expect((await look('Bread & butter')).examinations).toMatchObject([{ readBack: null }, { readBack: null }]);
  wrong.mockRestore();
});

test('the address in a file is the one that is counted, or the content itself where that is asked for', async () => {
  await browser.post('/create', LINK);
  const [code] = await codesOf(account);
  const { decodeImage } = await import('~/codes/pictures/decode.server');
  const readIn = async (query: string, name: string) => {
    const answer = await browser.open(`/user/qrcodes/${code?.id}/download?format=png&size=400${query}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    return decodeImage(new Uint8Array(await answer.arrayBuffer()), 400);
  };
  expect(await readIn('', 'qr-made-example-400.png')).toMatch(/\/R\/[0-9A-Z]{8}$/i);
  expect(await readIn('&variant=direct', 'qr-made-example-direct-400.png')).toBe(LINK.content);
  for (const query of ['&variant=none', '&format=gif', '&size=1', '&size=x']) {
    const answer = await browser.open(`/user/qrcodes/${code?.id}/download?${query.slice(1)}`);
    expect(whereTo(answer)).toEqual([303, `/user/qrcodes/${code?.id}`]);
  }
});

test('the file of a Wi-Fi code holds the network, as nothing else can be in it', async () => {
  const wifi = { type: 'wifi', ssid: 'Guests', passphrase: 'welcome-2026', security: 'WPA' };
  await browser.post('/create', wifi);
  const [code] = await codesOf(account);
  const { decodeImage } = await import('~/codes/pictures/decode.server');
  for (const variant of ['tracked', 'direct']) {
    const path = `/user/qrcodes/${code?.id}/download?format=png&size=400&variant=${variant}`;
    const answer = await browser.open(path);
    const read = await decodeImage(new Uint8Array(await answer.arrayBuffer()), 400);
    expect(read).toMatch(/^WIFI:.*S:Guests;.*P:welcome-2026;/);
  }
});

test('a code keeps content that today’s rules refuse, and takes no other of the kind', async () => {
  const kept = await website.host.code(account.id, { content: 'kept under older rules' });
  const page = `/user/qrcodes/${kept.id}?index`;
  const change = (content: string) => browser.post(page, { intent: 'content', content });
  expect((await change('no link either')).status).toBe(422);
  expect(whereTo(await change('https://better.example/'))).toEqual([303, `/user/qrcodes/${kept.id}`]);
  expect((await codesOf(account)).map(({ content }) => content)).toEqual(['https://better.example/']);
});

test.each(['private', 'public'])('a code becomes %s, and its content stays', async (visibility) => {
  const kept = await website.host.code(account.id, {
    visibility: visibility === 'private' ? 'public' : 'private',
  });
  const page = `/user/qrcodes/${kept.id}?index`;
  expect((await browser.post(page, { intent: 'visibility', visibility })).status).toBe(303);
  expect(await codesOf(account)).toMatchObject([{ content: kept.content, visibility }]);
  expect((await browser.post(page, { intent: 'visibility', visibility: 'secret' })).status).toBe(422);
});

test('whoever is not signed in keeps the design and goes to the plans', async () => {
  const visitor = await openBrowser(website);
  expect(whereTo(await visitor.post('/create', LINK))).toEqual([303, '/subscribe/basic_monthly']);
  expect(await (await visitor.open('/create')).text()).toContain('value="https://made.example/"');
  const broke = await website.host.account({ access: false });
  const without = await openBrowser(website, broke);
  expect(whereTo(await without.post('/create', LINK))).toEqual([303, '/user/subscription']);
  expect(await without.notices()).toMatchObject([{ key: 'subscription_needed' }]);
});
