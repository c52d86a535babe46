import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { divide, LABEL_LAYOUTS, layOut, POSTER_LAYOUTS } from '~/codes/files/sheet-layouts';
import type { Pixels } from '~/codes/pictures/decode.server';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { pdfText } from '../../support/pdf-text';
import type { TestWebsite } from '../../support/website';
import {
  addresses,
  createSheetWebsite,
  DOWNLOAD,
  makeCodes,
  PAGE,
  queryOf,
  readSheet,
} from './sheet-website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createSheetWebsite();
});
afterAll(() => website.close());

const empty = (count: number) => Array.from({ length: count }, () => null);

test('codes fill the labels from the chosen start over as many pages as needed', async () => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 26);
  const query = queryOf(codes, {
    layout: 'a4-24',
    start: '5',
    marks: 'on',
    caption: 'both',
    action: 'Scan me',
  });
  const answer = await website.browse(DOWNLOAD + query, { as });
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="qr-sheet-a4-24.pdf"');
  expect(await readSheet(answer, 'a4-24', true)).toEqual([
    [...empty(4), ...addresses(codes.slice(0, 20))],
    [...addresses(codes.slice(20)), ...empty(18)],
  ]);
});

test.each([...LABEL_LAYOUTS, ...POSTER_LAYOUTS])('a sheet of %s can be decoded', async (layout) => {
  const as = await website.host.account();
  const [code, other] = await makeCodes(website, as, 2);
  if (!code || !other) throw new Error('no codes');
  const query = queryOf([code, other], { layout, marks: 'on', caption: 'name' });
  const read = await readSheet(await website.browse(DOWNLOAD + query, { as }), layout, true);
  expect(read.flat().filter((text) => text !== null)).toEqual(addresses([code, other]));
});

test('codes are printed in their own looks and frames', async () => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 3);
  const looks = [
    { moduleShape: 'bars-vertical', gradientColour: '#a4210d', gradientAngle: 45 },
    { moduleShape: 'dots', frame: 'ticket', caption: 'Scan for the menu', frameColour: '#e9a23b' },
    { groundColour: '#ffe9b0', ringShape: 'leaf', centreShape: 'leaf' },
  ];
  for (const [n, style] of looks.entries()) {
    const answer = await website.host.request(`/api/qrcodes/${codes[n]?.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      token: as.token,
      body: JSON.stringify({ style }),
    });
    expect(answer.status).toBe(200);
  }
  for (const layout of ['a4-24', 'a4-4']) {
    const query = queryOf(codes, { layout, caption: 'name' });
    const read = await readSheet(await website.browse(DOWNLOAD + query, { as }), layout);
    expect(read.flat().filter((text) => text !== null)).toEqual(addresses(codes));
  }
});

/** Whether the centre of each module in a square is dark. */
function modulesOf({ data, width }: Pixels, x: number, y: number, side: number, count: number): boolean[] {
  return Array.from({ length: count * count }, (_, n) => {
    const column = Math.floor(x + ((n % count) + 0.5) * (side / count));
    const row = Math.floor(y + (Math.floor(n / count) + 0.5) * (side / count));
    return (data[(row * width + column) * 4] ?? 255) < 128;
  });
}

test('a code that is unreadable with its first mask has the same other mask on a sheet as in its file', async () => {
  const { pdfPages, pdfPixels } = await import('~/codes/pictures/code-pdf.server');
  const { drawCaptioned } = await import('~/codes/pictures/caption.server');
  const as = await website.host.account();
  const content = 'WIFI:T:WPA;S:Table 7;P:welcome-2026;;';
  const style = {
    ...DEFAULT_STYLE,
    moduleShape: 'dots',
    ringShape: 'circle',
    centreShape: 'square',
  } as const;
  const { id } = await website.host.code(as.id, { type: 'wifi', content });
  const { status } = await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { style }, as);
  expect(status).toBe(200);

  const { size, modules } = drawCaptioned(content, { style });
  // Round rings end in the middle of some modules.
  const isOutsideCorners = (_: boolean, n: number) => {
    const isAtEnd = (at: number) => at < 11 || at >= size - 11;
    return !(isAtEnd(n % size) && isAtEnd(Math.floor(n / size)));
  };
  const download = await website.browse(`/user/qrcodes/${id}/download?format=pdf&size=60`, { as });
  const alone = await pdfPixels(new Uint8Array(await download.arrayBuffer()), size * 8);
  const inFile = modulesOf(alone, 0, 0, alone.width, size);
  const sheet = await website.browse(DOWNLOAD + queryOf([{ id }], { layout: 'a4-4', caption: 'none' }), {
    as,
  });
  const { page, places } = layOut('a4-4', false);
  const [place = page] = places;
  const { code } = divide(place, false, 1);
  for await (const pixels of pdfPages(new Uint8Array(await sheet.arrayBuffer()), () => 1800)) {
    const scale = 1800 / page.width;
    const onSheet = modulesOf(pixels, code.x * scale, code.y * scale, code.width * scale, size);
    expect(onSheet.filter(isOutsideCorners)).toEqual(inFile.filter(isOutsideCorners));
  }
  const first = Array.from(modules, (module) => module === 1);
  expect(inFile.filter(isOutsideCorners)).not.toEqual(first.filter(isOutsideCorners));
});

test('a Wi-Fi code is printed with its content, and a name without glyphs in the font is left out', async () => {
  const as = await website.host.account();
  const content = 'WIFI:T:WPA;S:メニュー;P:welcome-2026;;';
  const code = await website.host.code(as.id, { type: 'wifi', content });
  const [[first] = []] = await readSheet(await website.browse(DOWNLOAD + queryOf([code]), { as }), 'a4-24');
  expect(first).toBe(content);
  const page = await (await website.browse(PAGE + queryOf([code]), { as })).text();
  expect(page).toContain('1 name has letters or symbols that our print font does not have');
  expect(page).toContain('メニュー');
});

test('arrows, hearts and mathematical signs in names and calls to action are printed', async () => {
  const as = await website.host.account();
  const code = await website.host.code(as.id, { name: 'Bar → ♥ ≤ 5' });
  const answer = await website.browse(DOWNLOAD + queryOf([code], { action: 'Scan ➡️ menu' }), { as });
  const text = await pdfText(new Uint8Array(await answer.arrayBuffer()));
  expect(text.replace(/\s+/g, ' ').trim()).toBe('Bar → ♥ ≤ 5 Scan → menu');
  const page = await (await website.browse(PAGE + queryOf([code]), { as })).text();
  expect(page).not.toContain('print font');
});

test('the page says which names lose emoji, and how the call to action is printed', async () => {
  const as = await website.host.account();
  const codes = [
    await website.host.code(as.id, { name: '☕ Coffee' }),
    await website.host.code(as.id, { name: 'Tea' }),
  ];
  const page = (query: Record<string, string>) =>
    website.browse(PAGE + queryOf(codes, query), { as }).then((answer) => answer.text());
  const both = await page({ action: 'Scan 📱' });
  expect(both).toMatch(
    /1 name is printed without emoji that our print font does not have:(?:<!-- -->| )+☕ Coffee</,
  );
  expect(both).toContain('It is printed as “Scan”.');
  const none = await page({ action: 'Scan 📱', caption: 'none' });
  expect(none).not.toContain('emoji');
});

test('the page names the labels whose text is cut, and the sheet cuts no others', async () => {
  const as = await website.host.account();
  const long = 'Long table at the window '.repeat(10).trim();
  const codes = [
    await website.host.code(as.id, { name: `${long} A` }),
    await website.host.code(as.id, { name: 'Bar' }),
    await website.host.code(as.id, { name: `${long} C` }),
  ];
  const cutOn = async (query: Record<string, string>) => {
    const html = await (await website.browse(PAGE + queryOf(codes, query), { as })).text();
    const [, names = ''] =
      /end(?:s are|is) cut off\. Choose larger labels or (?:a )?shorter names?:(.*?)<\/p>/.exec(html) ?? [];
    const answer = await website.browse(DOWNLOAD + queryOf(codes, query), { as });
    const printed = await pdfText(new Uint8Array(await answer.arrayBuffer()));
    return { names, html, printed };
  };
  const small = await cutOn({ layout: 'letter-24', action: 'Scan me' });
  expect(small.names).toContain(`${long} A`);
  expect(small.names).toContain(`${long} C`);
  expect(small.names).not.toContain('Bar');
  expect(small.printed.match(/…/g)).toHaveLength(2);
  expect(small.html).not.toContain('The call to action is too long');
  const large = await cutOn({ layout: 'a4-4', action: 'Scan me' });
  expect([large.names, large.printed.includes('…')]).toEqual(['', false]);
});

test('the largest code decides on the smallest size, wherever it is in the selection', async () => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 24);
  const wifi = await website.host.code(as.id, {
    type: 'wifi',
    name: 'ZZ Wi-Fi',
    content: `WIFI:T:WPA;S:${'ä'.repeat(16)};P:${'p'.repeat(60)};;`,
  });
  const page = async (chosen: { id: string }[]) =>
    (await website.browse(PAGE + queryOf(chosen, { layout: 'letter-24' }), { as })).text();
  expect(await page(codes)).not.toContain('These codes hold so much');
  expect(await page([...codes, wifi])).toContain('These codes hold so much');
});

test('the page shows the choice, the width of the codes and their scanning distance', async () => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 30);
  const query = queryOf(codes, { layout: 'a4-8', start: '3', caption: 'none' });
  const page = await website.browse(PAGE + query, { as });
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toContain('Print sheet of 30 codes');
  expect(html).toMatch(/<input[^>]*checked="" value="a4-8"/);
  expect(html).toContain('4 pages. The codes are 60 mm wide, readable from up to 0.5 m.');
  expect(html).toContain(`name="ids" value="${codes.map(({ id }) => id).join(',')}"`);
});

test('the last label, one whole page and a call to action of sixty characters are accepted', async () => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 24);
  const [first] = codes;
  if (!first) throw new Error('no codes');
  const pages = async (query: string) => (await website.browse(PAGE + query, { as })).text();
  expect(await pages(queryOf(codes))).toContain('1 page. ');
  expect(await pages(queryOf(codes, { start: '2' }))).toContain('2 pages. ');
  const last = { start: '24', action: 'x'.repeat(60), caption: 'action' };
  const answer = await website.browse(DOWNLOAD + queryOf([first], last), { as });
  expect(await readSheet(answer, 'a4-24')).toEqual([[...empty(23), ...addresses([first])]]);
});

test.each([
  ['both', 'Bar Scan me Terrace Scan me'],
  ['name', 'Bar Terrace'],
  ['action', 'Scan me Scan me'],
  ['none', ''],
])('with the caption “%s”, a sheet says “%s”', async (caption, words) => {
  const as = await website.host.account();
  const codes = [
    await website.host.code(as.id, { name: 'Terrace' }),
    await website.host.code(as.id, { name: 'Bar' }),
  ];
  const answer = await website.browse(DOWNLOAD + queryOf(codes, { caption }), { as });
  const { bytes, headers } = { bytes: new Uint8Array(await answer.arrayBuffer()), headers: answer.headers };
  expect((await pdfText(bytes)).trim()).toBe(words);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-length': String(bytes.length),
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

test.each([
  ['start', '25', 'The first label is a whole number'],
  ['start', '0', 'The first label is a whole number'],
  ['start', '1.5', 'The first label is a whole number'],
  ['action', 'x'.repeat(61), 'A call to action has 60 characters at most.'],
  ['action', 'スキャン', 'This has letters that our print font does not have.'],
  ['layout', 'a4-25', 'Choose one of these layouts.'],
  ['part', '2', 'Choose which of the codes go into this file.'],
])('%s “%s” is refused with an error at its field', async (name, value, text) => {
  const as = await website.host.account();
  const codes = await makeCodes(website, as, 1);
  const refused = await website.browse(DOWNLOAD + queryOf(codes, { [name]: value }), { as });
  expect(refused.status).toBe(303);
  const page = await website.browse(String(refused.headers.get('location')), { as });
  const html = await page.text();
  expect(page.status).toBe(400);
  expect(html).toContain(text);
  expect(html).toContain(`href="#sheet-${name}"`);
});

test('there is no sheet without codes, without a session or with codes of other accounts', async () => {
  const as = await website.host.account();
  const other = await website.host.account();
  const theirs = await makeCodes(website, other, 1);
  const goTo = async (path: string, who?: TestAccount) => {
    const answer = await website.browse(path, who ? { as: who } : {});
    return [answer.status, answer.headers.get('location')];
  };
  expect(await goTo(DOWNLOAD, as)).toEqual([303, '/user/qrcodes']);
  expect(await goTo(DOWNLOAD + queryOf(theirs), as)).toEqual([303, '/user/qrcodes']);
  expect(await goTo(PAGE)).toEqual([303, `/login?next=${encodeURIComponent(PAGE)}`]);
});
