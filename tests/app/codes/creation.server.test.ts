import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { getCode } from '#contract/codes';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { scopeOf, userScopeOf } from '../../support/scope';
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
    '/create': 'codes/create/page.tsx',
    '/login': 'account/sign-in/page.tsx',
    '/drafts/:id/logo': 'codes/create/draft-logo-route.ts',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/logo': 'codes/code/logo-route.ts',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const LINK = { type: 'link', content: 'https://made.example/' };

/** A form with a file field, as a browser sends it. */
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

/** Previews a design with an uploaded logo; returns the id of the draft that stores it. */
async function previewWithLogo(of = browser): Promise<string> {
  const answer = await of.post('/create', await formWith({ ...LINK, intent: 'preview' }, true));
  expect(answer.status).toBe(200);
  const id = /name="draft" value="([\w-]+)"/.exec(await answer.text())?.[1];
  if (!id) throw new Error('the design was not kept');
  return id;
}

test('a code is created once, however often its form is sent, and the design is then cleared', async () => {
  const draft = await previewWithLogo();
  const fields = { ...LINK, draft, key: 'the-key-of-a-form' };
  for (const _ of ['click', 'click']) {
    expect(statusAndLocation(await browser.post('/create', fields))).toEqual([303, '/user/qrcodes']);
  }
  expect(await codesOf(account)).toMatchObject([{ content: LINK.content, logo: { name: 'mark.png' } }]);
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'qrcode_created' }]);
  expect(await (await browser.open('/create')).text()).not.toContain(draft);
});

test('a form that is edited and resent creates another code or reports that the logo is gone', async () => {
  const draft = await previewWithLogo();
  const fields = { ...LINK, draft, draftLogo: 'on', key: 'the-key-of-a-form' };
  expect(statusAndLocation(await browser.post('/create', fields))).toEqual([303, '/user/qrcodes']);
  const edited = { ...fields, content: 'https://edited.example/' };
  const refused = await browser.post('/create', edited);
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(page).toContain('Please add your logo again.');
  expect(page).toContain('value="https://edited.example/"');
  expect(await codesOf(account)).toHaveLength(1);
  const { draft: _draft, draftLogo: _logo, ...again } = edited;
  for (const _ of ['click', 'click']) await browser.post('/create', await formWith(again, true));
  expect(await codesOf(account)).toMatchObject([{ content: edited.content, logo: { name: 'mark.png' } }, {}]);
});

test('a removed logo is not on the code, with or without another preview', async () => {
  const draft = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft, removeLogo: 'on' });
  expect(await codesOf(account)).toMatchObject([{ logo: null }]);
  const again = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft: again, removeLogo: 'on', intent: 'preview' });
  await browser.post('/create', { ...LINK, draft: again });
  expect((await codesOf(account)).map(({ logo }) => logo)).toEqual([null, null]);
});

test('a newly chosen logo replaces the previous one', async () => {
  const draft = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft, logoPreset: 'heart.svg' });
  expect(await codesOf(account)).toMatchObject([{ logo: { kind: 'preset', name: 'heart.svg' } }]);
});

test('choosing no logo beside an uploaded one drops it', async () => {
  const draft = await previewWithLogo();
  await browser.post('/create', { ...LINK, draft, draftLogo: 'on', logoPreset: 'none' });
  expect(await codesOf(account)).toMatchObject([{ logo: null }]);
});

test.each([
  ['wifi', { ssid: 'Net', passphrase: 'court', security: 'WPA' }],
  ['email', { address: 'info@zur-linde' }],
])('a refused %s code is drawn, but not praised, and its error is not repeated', async (type, fields) => {
  const refused = await browser.post('/create', { type, ...fields, intent: 'preview' });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(page).toContain('id="preview"');
  expect(page).toContain('not checked: first correct what is marked in the form');
  expect(page).not.toMatch(/reads back|grade [ABC]|id="create-failure"/);
});

test('the logo of a draft is shown only to the browser that created the draft', async () => {
  const draft = await previewWithLogo();
  const own = await browser.open(`/drafts/${draft}/logo`);
  expect([own.status, own.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(own.headers.get('cache-control')).toMatch(/^private/);
  expect(own.headers.get('content-security-policy')).toContain('sandbox');
  const other = await openBrowser(website, account);
  expect((await other.open(`/drafts/${draft}/logo`)).status).toBe(404);
});

test('the receipt states what each decoder read and shows the text only if it is correct', async () => {
  const { makePreview } = await import('~/codes/create/preview.server');
  const { previewCode } = await import('~/codes/files/downloads.server');
  const look = async (content: string) => {
    const design = { type: 'text' as const, content, useWhiteBackground: false };
    const { id } = await website.host.code(account.id);
    const shown = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, account);
    const { code } = getCode.response.parse(shown.body).data;
    const preview = await makePreview(await scopeOf(), design, {});
    const page = await previewCode(await userScopeOf(account), code);
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
  const run = pool.run.bind(pool);
  // A drawing with different content, as a bug in the drawing code would produce.
  const wrong = vi
    .spyOn(pool, 'run')
    .mockImplementation((task, input, options) => run(task, { ...input, payload: 'another' }, options));
  expect((await look('Bread & butter')).examinations).toMatchObject([{ readBack: null }, { readBack: null }]);
  wrong.mockRestore();
});

test('a file contains the tracked address, or on request the content itself', async () => {
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
    const search = `?${query.slice(1)}`;
    const answer = await browser.open(`/user/qrcodes/${code?.id}/download${search}`);
    expect(statusAndLocation(answer)).toEqual([303, `/user/qrcodes/${code?.id}${search}#downloads`]);
  }
});

test('the file of a Wi-Fi code always contains the network itself', async () => {
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

test('a code keeps content that is no longer valid, but accepts no other such content', async () => {
  const kept = await website.host.code(account.id, { content: 'kept under older rules' });
  const page = `/user/qrcodes/${kept.id}?index`;
  const change = (content: string) => browser.post(page, { intent: 'content', content });
  expect((await change('no link either')).status).toBe(422);
  expect((await change('kept under older rules')).status).toBe(303);
  expect(statusAndLocation(await change('https://better.example/'))).toEqual([
    303,
    `/user/qrcodes/${kept.id}`,
  ]);
  expect((await codesOf(account)).map(({ content }) => content)).toEqual(['https://better.example/']);
});

test.each(['private', 'public'])('making a code %s does not change its content', async (visibility) => {
  const kept = await website.host.code(account.id, {
    visibility: visibility === 'private' ? 'public' : 'private',
  });
  const page = `/user/qrcodes/${kept.id}?index`;
  expect((await browser.post(page, { intent: 'visibility', visibility })).status).toBe(303);
  expect(await codesOf(account)).toMatchObject([{ content: kept.content, visibility }]);
  expect((await browser.post(page, { intent: 'visibility', visibility: 'secret' })).status).toBe(422);
});

test('without a session, the design is saved and the visitor is redirected to the plans', async () => {
  const visitor = await openBrowser(website);
  expect(statusAndLocation(await visitor.post('/create', LINK))).toEqual([303, '/subscribe/basic_monthly']);
  expect(await (await visitor.open('/create')).text()).toContain('value="https://made.example/"');
  const broke = await website.host.account({ access: false });
  const without = await openBrowser(website, broke);
  expect(statusAndLocation(await without.post('/create', LINK))).toEqual([303, '/user/subscription']);
  expect(await without.notices()).toMatchObject([{ key: 'subscription_needed_design_kept' }]);
  const { id } = await website.host.code(broke.id);
  await without.post(`/user/qrcodes/${id}?index`, { intent: 'duplicate' });
  expect(await without.notices()).toMatchObject([{ key: 'subscription_needed' }]);
});

const ENDS: [how: string, end: () => Promise<TestBrowser>][] = [
  ['of itself', () => openBrowser(website, { token: expiredToken(account.id) })],
  [
    'from elsewhere',
    async () => {
      const text = 'update sessions set revoked_at = now() where account_id = $1';
      await website.host.db.query({ name: 'end-sessions', text, values: [account.id] });
      return browser;
    },
  ],
];

function expiredToken(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub, email: account.email, roles: ['ROLE_USER'], exp: 1_700_000_000 };
  return `${part({ alg: 'HS256' })}.${part(claims)}.x`;
}

/** The creation form after signing in again, the fields that its resend card would post, and a new token. */
async function signInAgain(visitor: TestBrowser) {
  const entry = { email: account.email, password: account.password };
  await visitor.post('/login', entry);
  const page = await (await visitor.open('/create')).text();
  const card = /<section class="sheet unsent">.*?<\/section>/s.exec(page)?.[0];
  const inputs = [...(card ?? '').matchAll(/name="(\w+)" value="([^"]*)"/g)];
  const { token = '' } = (await send(website.host, 'POST', '/api/login_check', entry)).body;
  return { page, card: card && Object.fromEntries(inputs.map(([, name, value]) => [name, value])), token };
}

test.each(ENDS)('a logo chosen before the session ended %s is still on the code', async (_, end) => {
  const visitor = await end();
  const chosen = { ...LINK, logoPreset: 'heart.svg', intent: 'create' };
  expect(statusAndLocation(await visitor.post('/create', await formWith(chosen, true)))).toEqual([
    303,
    '/login?next=%2Fcreate',
  ]);
  const { page, card, token } = await signInAgain(visitor);
  expect(page).toContain('Current logo: mark.png');
  expect(page).toMatch(/<form[^>]*id="create".*value="https:\/\/made\.example\/"/s);
  expect(statusAndLocation(await visitor.post('/create', card ?? {}))).toEqual([303, '/user/qrcodes']);
  const codes = await codesOf({ ...account, token });
  expect(codes).toMatchObject([{ content: LINK.content, logo: { name: 'mark.png' } }]);
});

test.each(ENDS)('a design too long for a cookie survives a session that ended %s', async (_, end) => {
  const visitor = await end();
  const letter = 'жук '.repeat(249).trim();
  const entered = { type: 'email', address: 'ada@made.example', subject: letter.slice(0, 199), body: letter };
  expect((await visitor.post('/create', { ...entered, intent: 'create' })).status).toBe(303);
  const { page, card } = await signInAgain(visitor);
  expect(card).toBeUndefined();
  expect(page).toContain(`>${letter}</textarea>`);
});

test('a design that fits into a cookie is kept only for its owner when the session ends', async () => {
  const over = { token: expiredToken(account.id) };
  const [visitor, shared] = [await openBrowser(website, over), await openBrowser(website, over)];
  for (const each of [visitor, shared]) await each.post('/create', { ...LINK, intent: 'create' });
  expect((await signInAgain(visitor)).card).toMatchObject(LINK);
  account = await website.host.account();
  expect((await signInAgain(shared)).page).not.toContain(LINK.content);
});

test('a creation with a refused look offers its fix once, beside the field', async () => {
  const shapes = { moduleShape: 'square', ringShape: 'square', centreShape: 'square', frame: 'none' };
  const look = { ...shapes, moduleColour: '#dddddd', cornerColour: '#14203c', groundColour: '#ffffff' };
  const refused = await browser.post('/create', await formWith({ ...LINK, ...look, intent: 'preview' }));
  expect(refused.status).toBe(422);
  expect((await refused.text()).match(/name="fix"/g)).toHaveLength(1);
});

test('a refused creation shows its drawing and keeps the chosen logo', async () => {
  const named = { ...LINK, name: 'x'.repeat(90), logoPreset: 'heart.svg' };
  const refused = await browser.post('/create', await formWith(named, true));
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(page).toContain('id="preview"');
  expect(page).toContain('Current logo: mark.png');
  const draft = /name="draft" value="([\w-]+)"/.exec(page)?.[1] ?? '';
  expect(page).toContain(`/drafts/${draft}/logo?v=`);
  expect(page).not.toMatch(/name="logoPreset"[^>]*checked=""/);
  const corrected = { ...LINK, draft, draftLogo: 'on' };
  expect(statusAndLocation(await browser.post('/create', corrected))).toEqual([303, '/user/qrcodes']);
  expect(await codesOf(account)).toMatchObject([{ logo: { name: 'mark.png' } }]);
});

test('a design still shows its drawing when its form is posted to switch the language', async () => {
  const page = await (await browser.post('/create', { ...LINK, lng: 'de' })).text();
  expect(page).toContain('id="preview"');
});
