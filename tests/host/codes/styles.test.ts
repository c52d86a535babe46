import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseOf } from '#contract/call';
import type { Code, getCode } from '#contract/codes';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { DAY_MS } from '#contract/time';
import { emptyDeletedCodes } from '#host/codes/code/deletion';
import { codes } from '#host/db/codes.tables';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const TERRACE: Style = {
  ...DEFAULT_STYLE,
  moduleShape: 'bars-vertical',
  ringShape: 'rounded',
  cornerColour: '#a4210d',
  frame: 'caption-below',
  caption: 'Scan for the menu',
};

interface Changed {
  status: number;
  data: Code;
  errors: Record<string, string[]>;
}

describe('looks of codes', () => {
  let host: TestHost;
  let account: TestAccount;
  const logged: string[] = [];

  beforeAll(async () => {
    const log = pino({ level: 'error' }, { write: (line) => logged.push(line) });
    host = await createTestHost({ db: await openFresh(), log });
    account = await host.account();
  });
  afterAll(() => host.close());

  async function create(parameters: object | string, fields: Record<string, string> = {}): Promise<Changed> {
    const form = new FormData();
    const text = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
    const all = { type: 'link', data: 'https://example.com/', parameters: text, ...fields };
    for (const [name, value] of Object.entries(all)) form.set(name, value);
    return answerOf(await host.request('/api/qrcodes', { method: 'POST', body: form, token: account.token }));
  }
  const restyle = async (id: string, style: unknown) =>
    answerOf(
      await host.request(`/api/qrcodes/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ style }),
        token: account.token,
      }),
    );
  async function read(id: string) {
    const answer = await host.request(`/api/qrcodes/${id}`, { token: account.token });
    return ((await answer.json()) as ResponseOf<typeof getCode>).data;
  }
  async function answerOf(response: Response): Promise<Changed> {
    return { ...((await response.json()) as Changed), status: response.status };
  }

  test.each([
    ['link', 'https://example.com/'],
    ['text', 'Table 7'],
    ['email', 'ada@example.com'],
    ['wifi', 'WIFI:T:WPA;S:Guests;P:password;;'],
  ])('a code of type %s is created with a look, and restyled', async (type, data) => {
    const { status, data: code } = await create({ style: TERRACE }, { type, data });
    expect(status).toBe(201);
    expect(code.style).toEqual(TERRACE);
    const restyled = await restyle(code.id, { ...TERRACE, moduleShape: 'dots' });
    expect(restyled.data.style).toEqual({ ...TERRACE, moduleShape: 'dots' });
    expect((await read(code.id)).code.style).toEqual({ ...TERRACE, moduleShape: 'dots' });
  });

  test('a look with only default values is stored as none', async () => {
    for (const style of [undefined, {}, DEFAULT_STYLE, { caption: 'of no frame', gradientAngle: 45 }]) {
      const { data } = await create({ style });
      expect(data.style).toBeNull();
      expect((await rowOf(data.id))?.style).toBeNull();
    }
  });

  test('colours are normalised, however they are typed', async () => {
    const { data } = await create({ style: { moduleColour: ' 036 ', cornerColour: '#A4210D' } });
    expect(data.style).toMatchObject({ moduleColour: '#003366', cornerColour: '#a4210d' });
  });

  test('restyling keeps the slug, and an earlier look can be restored from the history', async () => {
    const { data: code } = await create({ style: TERRACE });
    host.clock.advance(1_000);
    const restyled = await restyle(code.id, { ...TERRACE, moduleColour: '#1c5c3a' });
    expect(restyled.data).toMatchObject({ link: code.link, scanLink: code.scanLink });
    host.clock.advance(1_000);
    expect((await restyle(code.id, null)).data.style).toBeNull();
    const { changes } = await read(code.id);
    expect(changes.map(({ field }) => field)).toEqual(['style', 'style']);
    expect(changes[0]?.after).toBe('');
    expect(JSON.parse(changes[0]?.before ?? '')).toEqual({ ...TERRACE, moduleColour: '#1c5c3a' });
    expect(JSON.parse(changes[1]?.before ?? '')).toEqual(TERRACE);
    const brought = await restyle(code.id, JSON.parse(changes[1]?.before ?? ''));
    expect(brought.data).toMatchObject({ style: TERRACE, scanLink: code.scanLink });
  });

  test('setting the same look again writes no history', async () => {
    const { data: code } = await create({ style: TERRACE });
    const reversed = Object.fromEntries(Object.entries(TERRACE).reverse());
    expect((await restyle(code.id, reversed)).data.updatedAt).toBe(code.updatedAt);
    const { data: plain } = await create({});
    await restyle(plain.id, null);
    await restyle(plain.id, {});
    expect((await read(code.id)).changes).toEqual([]);
    expect((await read(plain.id)).changes).toEqual([]);
  });

  test('a stored look that this version cannot read does not break its code, and stays stored', async () => {
    const later = { ...TERRACE, version: 2, moduleShape: 'hexagons' };
    const { data: code } = await create({ style: TERRACE });
    await host.db.orm.update(codes).set({ style: later }).where(eq(codes.id, code.id));
    logged.length = 0;
    expect((await read(code.id)).code.style).toBeNull();
    expect(logged.join('')).toContain('a stored style cannot be read');
    const list = await host.request('/api/qrcodes', { token: account.token });
    expect(list.status).toBe(200);
    const named = await host.request(`/api/qrcodes/${code.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ name: 'Terrace' }),
      token: account.token,
    });
    expect(named.status).toBe(200);
    expect((await rowOf(code.id))?.style).toEqual(later);
    await restyle(code.id, { ...TERRACE, moduleShape: 'dots' });
    const { changes, code: restyled } = await read(code.id);
    expect(restyled.style).toMatchObject({ moduleShape: 'dots' });
    expect(JSON.parse(changes.find(({ field }) => field === 'style')?.before ?? '')).toEqual(later);
  });

  test('a look stored before its caption and frame colour were refused is still read, and its code edited', async () => {
    const earlier = { ...TERRACE, caption: 'Call ☎ 5', frameColour: '#ffffff' };
    const { data: code } = await create({ style: TERRACE });
    await host.db.orm.update(codes).set({ style: earlier }).where(eq(codes.id, code.id));
    logged.length = 0;
    expect((await read(code.id)).code.style).toEqual(earlier);
    expect(logged).toEqual([]);
    expect(await restyle(code.id, { ...earlier, frameColour: TERRACE.frameColour })).toMatchObject({
      status: 422,
      errors: { caption: ['caption_letters'] },
    });
    expect((await restyle(code.id, { ...earlier, caption: 'Call 5', frameColour: '#14203c' })).status).toBe(
      200,
    );
  });

  test('the look of a deleted code is erased with it 30 days later', async () => {
    const { data: code } = await create({ style: TERRACE });
    await restyle(code.id, null);
    await restyle(code.id, TERRACE);
    await host.request(`/api/qrcodes/${code.id}`, { method: 'DELETE', token: account.token });
    const later = new Date(host.clock.now().getTime() + 30 * DAY_MS);
    await emptyDeletedCodes(host.db.orm, later, new AbortController().signal);
    expect((await rowOf(code.id))?.style).toBeNull();
  });

  const NO_COLOURS = ['', '#', '14203c0', '#12', '#12345', '#1234567', '#gggggg', 'red', 'rgb(0,0,0)'];
  const NO_HEX = [
    '#١٢٣٤٥٦',
    '＃１４２０３ｃ',
    '#14203c;',
    'url(#x)',
    '\u202e#14203c',
    '\ud800',
    '#'.repeat(500),
  ];

  test.each<[about: string, style: unknown, errors: object]>([
    ...[...NO_COLOURS, ...NO_HEX, 0x14203c, null, ['#14203c'], { length: 7 }].map(
      (colour): [string, unknown, object] => [
        `the colour ${JSON.stringify(colour)}`,
        { moduleColour: colour },
        { moduleColour: ['colour_invalid'] },
      ],
    ),
    ['a colour of the ground', { moduleColour: '#ffffff' }, { moduleColour: ['colour_contrast'] }],
    ['a colour close to it', { cornerColour: '#9a9a9a' }, { cornerColour: ['colour_contrast'] }],
    [
      'light on dark',
      { moduleColour: '#fff', cornerColour: '#000', groundColour: '#222' },
      { moduleColour: ['colour_inverted'], cornerColour: ['colour_contrast'] },
    ],
    ['a gradient into the ground', { gradientColour: '#fefefe' }, { gradientColour: ['colour_contrast'] }],
    [
      'a gradient into the light',
      { moduleColour: '#003', cornerColour: '#003', groundColour: '#777', gradientColour: '#fff' },
      { gradientColour: ['colour_inverted'] },
    ],
    ['an angle of 360', { gradientColour: '#000', gradientAngle: 360 }, { gradientAngle: ['angle_invalid'] }],
    ['half a degree', { gradientColour: '#000', gradientAngle: 0.5 }, { gradientAngle: ['angle_invalid'] }],
    ['an unknown shape', { moduleShape: 'stars' }, { moduleShape: ['style_invalid'] }],
    ['a shape of the prototype', { ringShape: 'constructor' }, { ringShape: ['style_invalid'] }],
    ['an unknown frame', { frame: '__proto__' }, { frame: ['style_invalid'] }],
    ['a frame without a text', { frame: 'badge', caption: ' \t' }, { caption: ['caption_required'] }],
    ['31 characters', { frame: 'badge', caption: 'é'.repeat(31) }, { caption: ['caption_too_long'] }],
    ['31 emoji', { frame: 'badge', caption: '🍋'.repeat(31) }, { caption: ['caption_too_long'] }],
    ['a long text', { frame: 'badge', caption: 'x'.repeat(60_000) }, { caption: ['caption_too_long'] }],
    ['a mark of direction', { frame: 'badge', caption: 'menu\u202e' }, { caption: ['caption_invalid'] }],
    ['an isolate', { frame: 'badge', caption: '\u2067menu' }, { caption: ['caption_invalid'] }],
    ['a joiner', { frame: 'badge', caption: 'a\u200db' }, { caption: ['caption_invalid'] }],
    ['half a character', { frame: 'badge', caption: 'menu\ud83c' }, { caption: ['caption_invalid'] }],
    ['a null byte', { frame: 'badge', caption: 'a\u0000b' }, { caption: ['caption_invalid'] }],
    ['an emoji', { frame: 'badge', caption: 'Lemon 🍋' }, { caption: ['caption_letters'] }],
    ['a sign shown as emoji', { frame: 'badge', caption: 'love ❤️' }, { caption: ['caption_letters'] }],
    ['a flag', { frame: 'badge', caption: '🇫🇷' }, { caption: ['caption_letters'] }],
    ['a key cap', { frame: 'badge', caption: '1\ufe0f\u20e3' }, { caption: ['caption_letters'] }],
    ['a family', { frame: 'badge', caption: '👨\u200d👩\u200d👧' }, { caption: ['caption_letters'] }],
    ['a variation', { frame: 'badge', caption: '♥\ufe0e' }, { caption: ['caption_invalid'] }],
    ['an invisible caption', { frame: 'badge', caption: '\u034f' }, { caption: ['caption_invalid'] }],
    ['two directions', { frame: 'badge', caption: 'שלום menu' }, { caption: ['caption_letters'] }],
    ['Arabic', { frame: 'badge', caption: 'قائمة' }, { caption: ['caption_letters'] }],
    [
      'a sign without a colour of its own',
      { frame: 'badge', caption: 'Call ☎ 5' },
      { caption: ['caption_letters'] },
    ],
    ['a letter that the font lacks', { frame: 'badge', caption: 'Ꟶ' }, { caption: ['caption_letters'] }],
    ['a mathematical letter', { frame: 'badge', caption: '𝒜' }, { caption: ['caption_letters'] }],
    [
      'a frame of the colour of the ground',
      { frame: 'badge', caption: 'Menu', frameColour: '#fff' },
      { frameColour: ['frame_invisible'] },
    ],
    [
      'a frame close to it',
      { frame: 'badge', caption: 'Menu', frameColour: '#f0f0f0' },
      { frameColour: ['frame_invisible'] },
    ],
    ['Chinese', { frame: 'badge', caption: '菜单' }, { caption: ['caption_letters'] }],
    ['a later version', { version: 2 }, { version: ['style_version'] }],
    ['a version as text', { version: '1' }, { version: ['style_version'] }],
    ['a text', 'dots', { style: ['invalid'] }],
    ['a list', [TERRACE], { style: ['invalid'] }],
    ['a checkbox sent as text', { transparentGround: 'on' }, { transparentGround: ['style_invalid'] }],
  ])('%s is refused at its field, and changes nothing', async (_about, style, errors) => {
    const { data: code } = await create({ style: TERRACE });
    expect(await restyle(code.id, style)).toMatchObject({ status: 422, errors });
    expect((await read(code.id)).code.style).toEqual(TERRACE);
    const text = JSON.stringify({ style });
    if (text.length < 8_000) expect(await create({ style })).toMatchObject({ status: 422, errors });
    else expect(await create({ style })).toMatchObject({ errors: { parameters: ['parameters_invalid'] } });
  });

  test('prototype keys and unknown keys are dropped', async () => {
    const { data } = await create(
      `{"style":{"moduleShape":"dots","__proto__":{"frame":"badge"},"constructor":1,"extra":{"deep":[]}}}`,
    );
    expect(data.style).toEqual({ ...DEFAULT_STYLE, moduleShape: 'dots' });
    expect((await rowOf(data.id))?.style).toEqual({ ...DEFAULT_STYLE, moduleShape: 'dots' });
  });

  test('captions of letters and signs that the font has are accepted', async () => {
    for (const caption of ['é'.repeat(30), 'Menü – 5 € ♥ © 2026', 'Ελληνικά', 'Меню', 'תפריט']) {
      const { data } = await create({ style: { frame: 'ticket', caption } });
      expect(data.style?.caption).toBe(caption);
    }
  });

  const rowOf = async (id: string) => (await host.db.orm.select().from(codes).where(eq(codes.id, id)))[0];
});
