import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ResponseOf } from '#contract/call';
import type { getCode } from '#contract/codes';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import type { SavedStyle } from '#contract/styles';
import { runDueJobs } from '#host/codes/bulk/run';
import type { Examination } from '~/codes/look/scan-report';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

const TERRACE: Style = {
  ...DEFAULT_STYLE,
  moduleShape: 'bars-vertical',
  cornerColour: '#a4210d',
};

let website: TestWebsite;
let as: TestAccount;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/styles': 'codes/look/saved-page.tsx',
    '/user/styles/:id': 'codes/look/edit-page.tsx',
    '/user/styles/:id/delete': 'codes/look/delete-page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
    '/user/qrcodes/selection': 'codes/list/bulk-page.tsx',
    '/create': 'codes/create/page.tsx',
    '/looks/own.svg': 'codes/look/own-picture-route.ts',
  });
});
afterAll(async () => website.close());
beforeEach(async () => {
  as = await website.host.account();
});

const post = (path: string, fields: Record<string, string>, who = as) =>
  website.browse(path, { method: 'POST', body: new URLSearchParams(fields), as: who });
const save = (fields: Record<string, string>) =>
  post('/user/styles', { intent: 'save-style', style: JSON.stringify(TERRACE), ...fields });
const saved = async () =>
  (await send(website.host, 'GET', '/api/styles', undefined, as)).body.data as SavedStyle[];
const codeOf = async (id: string) =>
  (await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, as)).body.data as ResponseOf<
    typeof getCode
  >['data'];
const see = async (path: string) => (await website.browse(path, { as })).text();
const restyle = (id: string, style: Style | null) =>
  send(website.host, 'PATCH', `/api/qrcodes/${id}`, { style }, as);

test('a look is saved under a name and can become the default of new codes', async () => {
  const answer = await save({ name: ' Shop  window ', isDefault: 'on' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/user/styles']);
  expect(await saved()).toMatchObject([{ name: 'Shop window', style: TERRACE, isDefault: true }]);
  const page = await see('/user/styles');
  expect(page).toContain('Shop window');
  expect(page).toContain('Used for new codes');
});

test.each([
  [{ name: '' }, 'Enter a name.'],
  [{ name: 'é'.repeat(81) }, 'Shorten the name to at most 80 characters.'],
  [{ name: 'x'.repeat(501) }, 'Shorten the name to at most 80 characters.'],
  [{ name: 'Menu', style: '{' }, 'Choose a look.'],
  [
    { name: 'Menu', style: '{"moduleColour":"#ffffff"}' },
    'This colour is too close to that of the background',
  ],
  [
    { name: 'Menu', style: '{"frame":"badge","caption":"☎"}' },
    'rare signs and other scripts cannot be drawn',
  ],
  [{ name: 'Menu', style: '{"version":2}' }, 'This look comes from another version of this website.'],
])('a look that cannot be saved is shown in the form again with its input (%#)', async (fields, message) => {
  const answer = await save(fields);
  expect(answer.status).toBe(422);
  const page = await answer.text();
  expect(page).toContain(message);
  if (fields.name !== '') expect(page).toContain(`value="${fields.name}"`);
  expect(page).toContain('name="style"');
  expect(await saved()).toEqual([]);
});

test('switching the language without scripts keeps the input of a refused form', async () => {
  const fields = { name: 'x'.repeat(81), isDefault: 'on' };
  const refused = await (await save(fields)).text();
  expect(refused).toMatch(
    /<button(?=[^>]*value="de")(?=[^>]*form="save-style")(?=[^>]*formaction="\/user\/styles\?lng=de")/i,
  );
  // The form contains its intent, because the language button submits it instead of its own.
  expect(refused).toMatch(/<input type="hidden" name="intent" value="save-style"/);
  const switched = await post('/user/styles?lng=de', {
    intent: 'save-style',
    style: JSON.stringify(TERRACE),
    lng: 'de',
    ...fields,
  });
  const page = await switched.text();
  expect([switched.status, page.includes('<html lang="de"')]).toEqual([200, true]);
  expect(page).toContain(`value="${fields.name}"`);
  expect(await see('/user/styles')).not.toContain('form="save-style"');
  expect(await saved()).toEqual([]);
});

test('a look becomes the default of new codes, and stops being it', async () => {
  await save({ name: 'Menu' });
  const [{ id } = { id: '' }] = await saved();
  expect(await see('/create')).not.toContain('value="bars-vertical" checked');
  expect((await post('/user/styles', { intent: 'default-style', id })).status).toBe(303);
  expect(await saved()).toMatchObject([{ isDefault: true }]);
  expect(await see('/create')).toMatch(/checked="" value="bars-vertical"|value="bars-vertical" checked=""/);
  expect((await post('/user/styles', { intent: 'no-default-style', id })).status).toBe(303);
  expect(await saved()).toMatchObject([{ isDefault: false }]);
  const other = await website.host.account();
  expect((await post('/user/styles', { intent: 'default-style', id }, other)).status).toBe(404);
});

test('a form with an unknown intent is refused', async () => {
  await save({ name: 'Menu', isDefault: 'on' });
  const [{ id } = { id: '' }] = await saved();
  expect((await post('/user/styles', { intent: 'other', id })).status).toBe(400);
  expect(await saved()).toMatchObject([{ isDefault: true }]);
});

test('a look is renamed, but not to the name of another', async () => {
  await save({ name: 'Menu' });
  await save({ name: 'Poster' });
  const id = (await saved()).find(({ name }) => name === 'Menu')?.id ?? '';
  const refused = await post(`/user/styles/${id}`, { name: 'POSTER' });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('Another look of yours already has this name.');
  expect((await post(`/user/styles/${id}`, { name: 'Card' })).status).toBe(303);
  expect((await saved()).map(({ name }) => name)).toEqual(['Card', 'Poster']);
});

const PLAIN = { moduleShape: 'square', ringShape: 'square', centreShape: 'square' };
/** The value of the tile chosen in a group of radio buttons. */
const chosenIn = (html: string, name: string) =>
  new RegExp(`<input(?=[^>]*name="${name}")(?=[^>]*checked)[^>]*value="([^"]*)"`).exec(html)?.[1];

test('a saved look and its logo are changed and shown on a code, which keeps its own look', async () => {
  await save({ name: 'Menu' });
  const [{ id } = { id: '' }] = await saved();
  const code = await website.host.code(as.id, { logoPreset: 'star.svg' });
  const page = await see(`/user/styles/${id}`);
  expect(chosenIn(page, 'readyMade')).toBe(id);
  expect(chosenIn(page, 'logoPreset')).toBe('keep');
  expect(page).toContain('href="/presets/star.svg"');
  const changed = { ...PLAIN, name: 'Menu', moduleShape: 'dots', logoPreset: 'heart.svg' };
  const shown = await post(`/user/styles/${id}`, { ...changed, shownOn: code.id, intent: 'preview' });
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('href="/presets/heart.svg"');
  expect(await saved()).toMatchObject([{ style: TERRACE, logo: null }]);
  const kept = await post(`/user/styles/${id}`, { ...changed, intent: 'use' });
  expect([kept.status, kept.headers.get('location')]).toEqual([303, '/user/styles']);
  expect(await saved()).toMatchObject([
    { id, style: { moduleShape: 'dots' }, logo: { kind: 'preset', name: 'heart.svg' } },
  ]);
  expect((await codeOf(code.id)).code).toMatchObject({ style: null, logo: { name: 'star.svg' } });
});

test('a saved look is not changed to one that scanners cannot read, nor by another account', async () => {
  await save({ name: 'Menu' });
  const [{ id } = { id: '' }] = await saved();
  const pale = await post(`/user/styles/${id}`, { ...PLAIN, name: 'Menu', moduleColour: '#fefefe' });
  expect(pale.status).toBe(422);
  expect(await pale.text()).toContain('too close to that of the background');
  const other = await website.host.account();
  expect((await post(`/user/styles/${id}`, { ...PLAIN, name: 'Theirs' }, other)).status).toBe(404);
  expect(await saved()).toMatchObject([{ name: 'Menu', style: TERRACE }]);
});

test('a saved look is shown on one code before it is used, and offered for those with a tag', async () => {
  await save({ name: 'Menu', logo: JSON.stringify({ kind: 'preset', name: 'heart.svg' }), withLogo: 'on' });
  const [{ id } = { id: '' }] = await saved();
  const code = await website.host.code(as.id, { tags: ['terrace'] });
  const page = await see(`/user/styles/${id}`);
  expect(page).toContain('<option value="terrace">');
  const shown = await post(`/user/styles/${id}`, { intent: 'show', codeId: code.id });
  for (const codeId of ['', '../../elsewhere', `${code.id}\r\nx-injected: 1`, '\u2026'])
    expect((await post(`/user/styles/${id}`, { intent: 'show', codeId })).status).toBe(404);
  const address = shown.headers.get('location') ?? '';
  expect(address).toBe(`/user/qrcodes/${code.id}/look?look=${id}`);
  const look = await see(address);
  expect(chosenIn(look, 'moduleShape')).toBe('bars-vertical');
  expect(chosenIn(look, 'logoPreset')).toBe('heart.svg');
  expect(look).toContain('href="/presets/heart.svg"');
  expect((await codeOf(code.id)).code).toMatchObject({ style: null, logo: null });
  const many = await see(`/user/qrcodes/selection?act=style&all=1&readyMade=${id}&tag=terrace`);
  expect(many).toContain('A logo and a look for 1 code');
  expect(chosenIn(many, 'readyMade')).toBe(id);
});

test('new codes start with the logo of the default look, and a saved look chosen by name brings its logo', async () => {
  const logo = JSON.stringify({ kind: 'preset', name: 'heart.svg', useWhiteBackground: true });
  await save({ name: 'Menu', logo, withLogo: 'on', isDefault: 'on' });
  const [{ id } = { id: '' }] = await saved();
  const form = await see('/create');
  expect(chosenIn(form, 'logoPreset')).toBe('heart.svg');
  expect(form).toMatch(/name="useWhiteBackground"[^>]*checked/);
  const code = await website.host.code(as.id);
  const chosen = { ...PLAIN, readyMade: id, readyMadeBefore: 'ink', logoPreset: 'none', intent: 'use' };
  expect((await post(`/user/qrcodes/${code.id}/look`, chosen)).status).toBe(303);
  expect((await codeOf(code.id)).code).toMatchObject({
    style: TERRACE,
    logo: { name: 'heart.svg' },
    useWhiteBackground: true,
  });
});

test('without a subscription the pages of looks say so before anything is typed, and still show a preview', async () => {
  const visitor = await website.host.account({ access: false });
  const code = await website.host.code(visitor.id);
  const path = `/user/qrcodes/${code.id}/look`;
  const page = await (await website.browse(path, { as: visitor })).text();
  expect(page).toContain('You can try looks here; to use or save one, you need a subscription.');
  expect(page).toMatch(
    /<button(?=[^>]*value="use")(?=[^>]*disabled)(?=[^>]*aria-describedby="no-subscription")/,
  );
  expect((await post(path, { ...PLAIN, intent: 'preview' }, visitor)).status).toBe(200);
});

test('a look is deleted after a confirmation, and deleting it twice is not an error', async () => {
  await save({ name: 'Menu' });
  const [{ id } = { id: '' }] = await saved();
  expect(await see(`/user/styles/${id}/delete`)).toContain('Delete the look “Menu”?');
  for (const _ of ['once', 'again']) expect((await post(`/user/styles/${id}/delete`, {})).status).toBe(303);
  expect(await saved()).toEqual([]);
  expect((await website.browse(`/user/styles/${id}`, { as })).status).toBe(404);
});

describe('many codes', () => {
  const selection = (query: string) => `/user/qrcodes/selection?act=style&${query}`;

  test('get a copy of a saved look, and the page says that printed ones keep working', async () => {
    await save({ name: 'Menu', isDefault: 'on' });
    const [{ id } = { id: '' }] = await saved();
    const codes = [await website.host.code(as.id), await website.host.code(as.id)];
    const path = selection(`ids=${codes.map((code) => code.id).join()}`);
    const page = await see(path);
    expect(page).toContain('A logo and a look for 2 codes');
    expect(page).toContain('Printed copies keep working');
    // Who only wants a logo keeps the looks.
    expect(page).toMatch(/name="readyMade"(?=[^>]*value="keep")[^>]*checked/);
    expect(page).toContain(`value="${id}"`);
    const done = await post(path, { readyMade: id, key: 'form-1' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/user/qrcodes']);
    for (const code of codes) expect((await codeOf(code.id)).code.style).toEqual(TERRACE);
    await post(`/user/styles/${id}/delete`, {});
    expect((await codeOf(codes[0]?.id ?? '')).code.style).toEqual(TERRACE);
  });

  test('with the same tag all get a ready-made look', async () => {
    const tagged = await website.host.code(as.id, { tags: ['menu'] });
    const other = await website.host.code(as.id);
    const done = await post(selection('all=1&tag=menu'), { readyMade: 'dots', key: 'form-2' });
    expect(done.headers.get('location')).toMatch(/^\/user\/qrcodes\/jobs\//);
    await runDueJobs(website.host.deps, new AbortController().signal);
    expect((await codeOf(tagged.id)).code.style?.moduleShape).toBe('dots');
    expect((await codeOf(other.id)).code.style).toBeNull();
  });

  test('do not get a look that is unreadable even for a short link without a logo', async () => {
    const pool = globalThis.drawingPool;
    if (!pool) throw new Error('nothing draws');
    const run = pool.run.bind(pool);
    const misread = async (...order: Parameters<typeof run>) => {
      const made = (await run(...order)) as Examination;
      return { ...made, scan: { ...made.scan, grade: null } };
    };
    pool.run = misread as typeof run;
    onTestFinished(() => {
      pool.run = run;
    });
    const code = await website.host.code(as.id);
    // A unique background colour, because known looks are not examined again.
    const lemon = { name: 'Lemon', style: { ...TERRACE, groundColour: '#fffde1' } };
    const { id } = (await send(website.host, 'POST', '/api/styles', lemon, as)).body.data as SavedStyle;
    const refused = await post(selection(`ids=${code.id}`), { readyMade: id });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('Scanners would read this look too badly, even without a logo.');
    expect((await codeOf(code.id)).changes).toEqual([]);
  });

  test.each(['', 'nothing', 'constructor', 'e58ed763-928c-4155-bee9-fdbaaadc15f3'])(
    'do not get a look that is not offered (%s)',
    async (readyMade) => {
      const code = await website.host.code(as.id);
      const refused = await post(selection(`ids=${code.id}`), { readyMade });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain('Choose a look.');
      expect((await codeOf(code.id)).changes).toEqual([]);
    },
  );
});

describe('the history of a code', () => {
  test('shows the looks before and after a change and restores one', async () => {
    const code = await website.host.code(as.id);
    await restyle(code.id, TERRACE);
    website.host.clock.advance(1_000);
    await restyle(code.id, null);
    const page = await see(`/user/qrcodes/${code.id}`);
    expect(page.match(/src="\/looks\/own\.svg\?style=[^"]*bars-vertical/g)).toHaveLength(2);
    // The look before the first change is also the current one, so only one can be restored.
    expect(page.match(/value="bring-back"/g)).toHaveLength(1);
    const style = (await codeOf(code.id)).changes[0]?.before ?? '';
    const brought = await post(`/user/qrcodes/${code.id}?index`, { intent: 'bring-back', style });
    expect(brought.status).toBe(303);
    expect((await codeOf(code.id)).code).toMatchObject({ style: TERRACE });
    await post(`/user/qrcodes/${code.id}?index`, { intent: 'bring-back', style: '' });
    expect((await codeOf(code.id)).code.style).toBeNull();
  });

  test('shows no picture of an invalid look and does not restore it', async () => {
    const code = await website.host.code(as.id, { style: { ...TERRACE, version: 2 } });
    await restyle(code.id, TERRACE);
    const page = await see(`/user/qrcodes/${code.id}`);
    expect(page).not.toContain('value="bring-back"');
    const style = (await codeOf(code.id)).changes[0]?.before ?? '';
    const refused = await post(`/user/qrcodes/${code.id}?index`, { intent: 'bring-back', style });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('This look comes from another version of this website.');
  });
});

describe('the picture of a look', () => {
  const picture = (style: string) => website.browse(`/looks/own.svg?style=${encodeURIComponent(style)}`);

  test('is drawn from its URL, is immutable and cannot run scripts', async () => {
    const answer = await picture('{"moduleShape":"dots","moduleColour":"#1c5c3a"}');
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(await answer.text()).toContain('fill="#1c5c3a"');
  });

  test('has an empty frame if the caption of a look saved earlier cannot be drawn', async () => {
    const answer = await picture('{"frame":"badge","caption":"Call ☎"}');
    expect(answer.status).toBe(200);
    expect((await answer.text()).match(/<path /g)).toHaveLength(4);
  });

  test('has a caption of 30 characters at most', async () => {
    const framed = (caption: string) => picture(JSON.stringify({ frame: 'badge', caption }));
    expect((await framed('W'.repeat(30))).status).toBe(200);
    expect((await framed('W'.repeat(31))).status).toBe(404);
  });

  test.each(['', '{', '5', '{"moduleColour":"url(#x)"}', '{"version":2}'])(
    'is not found for %s',
    async (style) => {
      expect((await picture(style)).status).toBe(404);
    },
  );
});
