import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/looks/:file': 'codes/look/picture-route.ts',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const LINK = { type: 'link', content: 'https://styled.example/' };

/** The fields of the default look as the form posts them, with some changed. */
function look(changed: Record<string, string> = {}): Record<string, string> {
  return {
    readyMade: 'ink',
    readyMadeBefore: 'ink',
    moduleShape: 'square',
    ringShape: 'square',
    centreShape: 'square',
    moduleColour: '#14203c',
    cornerColour: '#14203c',
    groundColour: '#ffffff',
    gradientColour: '#a4210d',
    gradientAngle: '45',
    frame: 'none',
    caption: '',
    frameColour: '#14203c',
    ...changed,
  };
}

async function codes() {
  return (await send(website.host, 'GET', '/api/qrcodes', undefined, account)).body.data as {
    id: string;
    style: Record<string, unknown> | null;
  }[];
}

const PICKED = {
  pickedBefore: '#14203c #14203c #ffffff #a4210d #14203c',
  moduleColourPicked: '#14203c',
  cornerColourPicked: '#14203c',
  groundColourPicked: '#ffffff',
  gradientColourPicked: '#a4210d',
  frameColourPicked: '#14203c',
};

test('a code is created in the chosen look, or else in the default look', async () => {
  for (const fields of [{}, look(), look({ moduleShape: 'dots', moduleColour: 'A4210D' })]) {
    expect(statusAndLocation(await browser.post('/create', { ...LINK, ...fields }))).toEqual([
      303,
      '/user/qrcodes',
    ]);
  }
  const [styled, usual, without] = await codes();
  expect(styled?.style).toEqual({ ...DEFAULT_STYLE, moduleShape: 'dots', moduleColour: '#a4210d' });
  expect([usual?.style, without?.style]).toEqual([null, null]);
});

test('an invalid colour, too similar colours and a too long caption are reported at once', async () => {
  const { checkLook } = await import('~/codes/look/look.server');
  const caption = 'x'.repeat(31);
  const wrong = { moduleColour: 'navy', cornerColour: '#eeeeee', frame: 'ticket', caption };
  expect(checkLook(look(wrong))).toEqual([
    { field: 'moduleColour', code: 'colour_invalid' },
    { field: 'cornerColour', code: 'colour_contrast' },
    { field: 'caption', code: 'caption_too_long' },
  ]);
  // With an invalid background colour, similarity cannot be checked.
  expect(checkLook(look({ ...wrong, groundColour: 'white' }))).toEqual([
    { field: 'moduleColour', code: 'colour_invalid' },
    { field: 'groundColour', code: 'colour_invalid' },
    { field: 'caption', code: 'caption_too_long' },
  ]);
  expect(checkLook(look({ cornerColour: '', frame: 'badge', caption: '漢' }))).toEqual([
    { field: 'cornerColour', code: 'colour_invalid' },
    { field: 'caption', code: 'caption_letters' },
  ]);
});

const INVISIBLE = { frame: 'badge', caption: 'Menu', frameColour: '#fffffe' };

test('the angle of the gradient is a number field, which shows its value without scripts', async () => {
  const gradient = { gradient: 'on', gradientAngle: '135', intent: 'preview' };
  const page = await (await browser.post('/create', { ...LINK, ...look(gradient) })).text();
  const [input = ''] = /<input[^>]*name="gradientAngle"[^>]*>/.exec(page) ?? [];
  for (const part of ['type="number"', 'min="0"', 'max="359"', 'value="135"']) expect(input).toContain(part);
  expect(page).toMatch(/name="gradientAngle"[^>]*>\s*<span class="suffix">degrees</);
});

test('a frame that cannot be seen is refused at its colour, with a button that shows it', async () => {
  const refused = await browser.post('/create', { ...LINK, ...look(INVISIBLE), intent: 'create' });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(page).toMatch(/name="frameColour"[^>]*aria-invalid="true"/);
  expect(page).toContain('nobody would see the frame');
  expect(page).toMatch(/<button[^>]*name="fix"[^>]*value="visible_frame"/);
  const fixed = await browser.post('/create', { ...LINK, ...look(INVISIBLE), fix: 'visible_frame' });
  expect(fixed.status).toBe(200);
  const shown = await fixed.text();
  expect(shown).toMatch(/name="frameColour"[^>]*value="#14203c"/);
  expect(shown).not.toContain('value="visible_frame"');
  expect(await codes()).toEqual([]);
});

test("a look chosen by name overrides the individual controls, in the page's language", async () => {
  const chosen = look({ readyMade: 'terrace', moduleShape: 'dots', caption: 'Not this one' });
  await browser.post('/create', { ...LINK, ...chosen }, { 'accept-language': 'de' });
  const [code] = await codes();
  expect(code?.style).toMatchObject({
    moduleShape: 'bars-vertical',
    cornerColour: '#a4210d',
    frame: 'caption-below',
    caption: 'Hier geht’s zur Karte',
  });
});

test('changes made after choosing a look by name are used', async () => {
  const changed = look({ readyMade: 'dots', readyMadeBefore: 'dots', moduleShape: 'rounded' });
  await browser.post('/create', { ...LINK, ...changed });
  expect((await codes())[0]?.style).toMatchObject({ moduleShape: 'rounded', ringShape: 'square' });
});

test('a preview shows the individual controls of the chosen look and marks it as chosen', async () => {
  const answer = await browser.post('/create', {
    ...LINK,
    ...look({ readyMade: 'vine' }),
    intent: 'preview',
  });
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toMatch(/<details class="fold" id="look" open="">/);
  expect(page).toMatch(/name="moduleColour"[^>]*value="#1c5a39"/);
  expect(page).toMatch(/<input(?=[^>]*name="readyMade")(?=[^>]*value="vine")(?=[^>]*checked="")/);
  expect(page).toContain('name="readyMadeBefore" value="vine"');
  expect(page).toMatch(/<path d="[^"]+" fill="#1c5a39"/);
});

test('without scripts, a picked colour is used, or else a typed one', async () => {
  const fields = { ...PICKED, moduleColourPicked: '#7a1020', groundColour: '#FFE' };
  await browser.post('/create', { ...LINK, ...look(), ...fields });
  expect((await codes())[0]?.style).toMatchObject({ moduleColour: '#7a1020', groundColour: '#ffffee' });
});

test.each([
  ['#12345', 'moduleColour', 'Enter a colour as # and six digits'],
  ['red', 'cornerColour', 'Enter a colour as # and six digits'],
  ['', 'groundColour', 'Enter a colour as # and six digits'],
  ['#14203c', 'groundColour', 'too close to that of the background'],
  ['#000000', 'groundColour', 'too close to that of the background'],
])('the colour %j is refused at its field, and all input is kept', async (colour, field, sentence) => {
  const fields = look({ [field]: colour, moduleShape: 'dots', ringShape: 'leaf' });
  const answer = await browser.post('/create', { ...LINK, ...fields });
  const page = await answer.text();
  expect(answer.status).toBe(422);
  expect(page).toContain(sentence);
  expect(page).toMatch(/<details class="fold" id="look" open="">/);
  expect(page).toMatch(new RegExp(`name="${field}"[^>]*value="${colour}"`));
  expect(page).toMatch(/<input(?=[^>]*name="moduleShape")(?=[^>]*value="dots")(?=[^>]*checked="")/);
  expect(page).toMatch(/<input(?=[^>]*name="ringShape")(?=[^>]*value="leaf")(?=[^>]*checked="")/);
  expect(page).toContain(`value="${LINK.content}"`);
  expect(await codes()).toEqual([]);
});

test.each([
  ['x'.repeat(31), 'at most 30 characters'],
  ['', 'Enter the frame text'],
  ['menu \u202e unem', 'Remove the invisible characters'],
  ['Menu \u{1f355}', 'letters'],
])('the caption %j is refused at its field', async (caption, sentence) => {
  const fields = look({ frame: 'badge', caption });
  const answer = await browser.post('/create', { ...LINK, ...fields, intent: 'preview' });
  const page = await answer.text();
  expect(answer.status).toBe(422);
  expect(errorIn(page, 'caption')).toContain(sentence);
  expect(page).toMatch(/<input(?=[^>]*name="frame")(?=[^>]*value="badge")(?=[^>]*checked="")/);
});

test('a gradient into the background colour is refused, and an unchecked gradient is ignored', async () => {
  const gradient = { gradientColour: '#ffffff', gradientAngle: '400' };
  const refused = await browser.post('/create', { ...LINK, ...look({ ...gradient, gradient: 'on' }) });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(errorIn(page, 'gradientAngle')).toContain('Enter an angle from 0 to 359 degrees');
  expect(errorIn(page, 'gradientColour')).toContain('too close to that of the background');
  const made = await browser.post('/create', { ...LINK, ...look(gradient) });
  expect(statusAndLocation(made)).toEqual([303, '/user/qrcodes']);
});

test('every colour that is lighter than the background is refused at its field', async () => {
  const light = { moduleColour: '#ffffff', cornerColour: '#ffd447', gradientColour: '#fbf8ee' };
  const fields = look({ ...light, gradient: 'on', groundColour: '#14203c' });
  const refused = await browser.post('/create', { ...LINK, ...fields });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  for (const field of Object.keys(light))
    expect(errorIn(page, field)).toContain('This colour is lighter than the background');
  expect(await codes()).toEqual([]);
});

/** The error shown at a field of the look. */
function errorIn(page: string, field: string): string | undefined {
  return new RegExp(`id="create-${field}-error"[\\s\\S]*?</p>`).exec(page)?.[0];
}

test('opening the look keeps all input so far, valid or not', async () => {
  const visitor = await openBrowser(website);
  const answer = await visitor.post('/create', { type: 'link', content: 'not an address', intent: 'look' });
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain('value="not an address"');
  expect(page).toMatch(/<details class="fold" id="look" open="">/);
  expect(page).not.toContain('class="error-summary"');
});

test('a look is carried along to the order and is still there afterwards', async () => {
  const visitor = await openBrowser(website);
  const fields = look({ moduleShape: 'bars-vertical', frame: 'ticket', caption: 'Entrance 4' });
  expect(statusAndLocation(await visitor.post('/create', { ...LINK, ...fields }))).toEqual([
    303,
    '/subscribe/basic_monthly',
  ]);
  const page = await (await visitor.open('/create')).text();
  expect(page).toMatch(/<details class="fold" id="look" open="">/);
  expect(page).toContain('value="Entrance 4"');
  expect(page).toMatch(/<input(?=[^>]*name="moduleShape")(?=[^>]*value="bars-vertical")(?=[^>]*checked="")/);
});

test('an existing code gets another look and then its old one back', async () => {
  const { id } = await website.host.code(account.id);
  const path = `/user/qrcodes/${id}/look`;
  const shown = await browser.post(path, { ...look({ readyMade: 'dots' }), intent: 'preview' });
  expect([shown.status, (await codes())[0]?.style]).toEqual([200, null]);
  expect(statusAndLocation(await browser.post(path, look({ readyMade: 'dots' })))).toEqual([
    303,
    `/user/qrcodes/${id}`,
  ]);
  expect((await codes())[0]?.style).toMatchObject({ moduleShape: 'dots', ringShape: 'rounded' });
  const refused = await browser.post(path, look({ moduleColour: '#eee' }));
  expect([refused.status, (await refused.text()).includes('value="#eee"')]).toEqual([422, true]);
  await browser.post(path, look({ readyMadeBefore: 'dots' }));
  expect((await codes())[0]?.style).toBeNull();
});

test('the form of a look and that of a new code, in a dialog over it, have no id in common', async () => {
  const { id } = await website.host.code(account.id);
  const fields = look({ moduleShape: 'dots', frame: 'ticket', caption: 'Menu' });
  const idsOf = async (path: string, sent: Record<string, string>) => {
    const html = await (await browser.post(path, { ...fields, ...sent })).text();
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
    return Array.from(main.matchAll(/ id="([^"]+)"/g), ([, name]) => name);
  };
  const created = await idsOf('/create', { ...LINK, intent: 'preview' });
  expect(created).toEqual(expect.arrayContaining(['create', 'preview', 'look']));
  const shown = await idsOf(`/user/qrcodes/${id}/look`, { intent: 'preview' });
  expect(shown).toContain('look-preview');
  expect(shown.filter((name) => created.includes(name) && !name?.startsWith('id-'))).toEqual([]);
});

test("another account's code cannot get another look", async () => {
  const { id } = await website.host.code((await website.host.account()).id);
  expect((await browser.open(`/user/qrcodes/${id}/look`)).status).toBe(404);
  expect((await browser.post(`/user/qrcodes/${id}/look`, look({ readyMade: 'dots' }))).status).toBe(404);
});

test('new codes start with the look saved as their default, which is offered by name', async () => {
  const style = { ...DEFAULT_STYLE, moduleShape: 'rounded', moduleColour: '#1c5a39' };
  const saved = { name: 'House style', style, isDefault: true };
  const { body } = await send(website.host, 'POST', '/api/styles', saved, account);
  const { id } = body.data as { id: string };
  const page = await (await browser.open('/create')).text();
  expect(page).toContain('House style');
  expect(page).toMatch(
    new RegExp(`<input(?=[^>]*name="readyMade")(?=[^>]*value="${id}")(?=[^>]*checked="")`),
  );
  await browser.post('/create', { ...LINK, ...look({ readyMade: id }) });
  expect((await codes())[0]?.style).toEqual(style);
});

test('every ready-made look has a picture', async () => {
  const { readyMadeStyles } = await import('~/codes/look/ready-made-styles');
  for (const { name } of readyMadeStyles(() => 'Scan me')) {
    const answer = await browser.open(`/looks/${name}.svg`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  }
  expect((await browser.open('/looks/none.svg')).status).toBe(404);
});
