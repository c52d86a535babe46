import { describe, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { DECODERS, gradeOf, type ScanReport, VIEWS } from '~/codes/look/scan-report';
import { prepareArtwork } from '~/codes/pictures/code-files.server';
import { drawCode } from '~/codes/pictures/code-image';
import { gradeDrawing, judgeLook } from '~/codes/pictures/grade.server';
import { drawStyled } from '~/codes/pictures/styled-drawing';
import { readPresets } from './logos';

const ADDRESSES = ['7K3M9QX1', '0A1B2C3D', 'ZZZZ9999'].map((slug) => `https://QDR.LI/R/${slug}`);
const LONG = `https://example.com/${'menu-of-the-day/'.repeat(20)}`.slice(0, 255);
const heart = await prepareArtwork(Buffer.from((await readPresets()).get('heart.svg') ?? ''));

/** Each address, with and without a logo. */
const CODES = ADDRESSES.flatMap((payload) =>
  [undefined, heart?.href].map((logoHref) => ({ payload, logoHref })),
);
/** One address without a logo, and another with it. */
const TWO_CODES = [CODES[0], CODES[3]].flatMap((code) => code ?? []);

async function gradesOf(style: Partial<Style>, codes = TWO_CODES): Promise<ScanReport[]> {
  return Promise.all(
    codes.map(({ payload, logoHref }) =>
      gradeDrawing(drawStyled(payload, { style: { ...DEFAULT_STYLE, ...style }, logoHref }), payload),
    ),
  );
}

const inColour = (moduleColour: string, groundColour = '#ffffff') => {
  return { moduleColour, cornerColour: moduleColour, groundColour };
};

test('grades start at 34, 30 and 25 readings', () => {
  expect([36, 34, 33, 30, 29, 25, 24, 0].map(gradeOf)).toEqual(['A', 'A', 'B', 'B', 'C', 'C', null, null]);
});

describe('a code in ink on paper gets an A', () => {
  test.each([
    ['of one character', 'a'],
    ['with an address of ours', ADDRESSES[0] ?? ''],
    ['with 255 characters', LONG],
    ['with 255 letters that take two bytes', 'é'.repeat(255)],
  ])('%s', async (_, payload) => {
    const options = { logoHref: heart?.href };
    for (const drawn of [{}, options, { ...options, useWhiteBackground: true }]) {
      expect(await gradeDrawing(drawCode(payload, drawn), payload)).toMatchObject({ grade: 'A', of: 36 });
    }
  });
});

test.each<[string, Partial<Style>]>([
  ['joined modules', { moduleShape: 'rounded' }],
  ['round corners', { ringShape: 'circle', centreShape: 'circle' }],
  ['a frame', { frame: 'ticket', caption: 'Scan me' }],
  ['a gradient between dark colours', { gradientColour: '#a4210d', gradientAngle: 45 }],
  ['black on yellow', inColour('#000000', '#ffd800')],
])('%s does not lower the grade', async (_, style) => {
  for (const { grade } of await gradesOf(style)) expect(grade).toBe('A');
});

test('a report names the proof pictures that decoders missed', async () => {
  const pale = drawStyled(LONG, { style: { ...DEFAULT_STYLE, ...inColour('#d0d0d0') } });
  const { proofs } = await gradeDrawing(pale, LONG);
  expect(proofs.map(({ proof }) => proof)).toEqual(['plain', 'larger', 'pdf']);
  for (const { missedBy } of proofs) expect(missedBy).toContain('jsqr');
  const [address = ''] = ADDRESSES;
  const joined = drawStyled(address, { style: { ...DEFAULT_STYLE, moduleShape: 'rounded' } });
  const judged = await judgeLook(joined, address);
  expect(judged.scan?.proofs).toEqual([
    { proof: 'plain', missedBy: [] },
    { proof: 'larger', missedBy: [] },
    { proof: 'pdf', missedBy: [] },
  ]);
  expect((await gradeDrawing(drawCode(LONG, {}), LONG)).proofs).toEqual([]);
});

test('indistinguishable colours, and light ones on dark, get no grade', async () => {
  for (const { grade } of await gradesOf(inColour('#d0d0d0'))) expect(grade).toBeNull();
  for (const { grade } of await gradesOf(inColour('#ffffff', '#14203c'))) expect(grade).toBeNull();
});

test('weak colours lower the grade more than strong ones, and more with dots as modules', async () => {
  const sum = async (style: Partial<Style>) => {
    return (await gradesOf(style, CODES)).reduce((total, { read }) => total + read, 0);
  };
  const [strong, weak] = [await sum(inColour('#14203c')), await sum(inColour('#949494'))];
  expect(strong).toBeGreaterThan(weak);
  expect(weak).toBeGreaterThan(await sum({ ...inColour('#949494'), moduleShape: 'dots' }));
});

test('a report names every view and decoder that failed and is reproducible', async () => {
  const style = { ...DEFAULT_STYLE, ...inColour('#b0b0b0') };
  const [payload = ''] = ADDRESSES;
  const grade = () => gradeDrawing(drawStyled(payload, { style }), payload);
  const report = await grade();
  const { missed, read, of } = report;
  expect([missed.flatMap(({ decoders }) => decoders).length, of]).toEqual([of - read, 36]);
  expect(read).toBeLessThan(36);
  for (const { view, decoders } of missed) {
    expect(VIEWS).toContain(view);
    for (const decoder of decoders) expect(DECODERS).toContain(decoder);
  }
  expect(await grade()).toEqual(report);
});

test('a drawing gets the same report whatever was graded before it', async () => {
  const style = { ...DEFAULT_STYLE, moduleShape: 'dots', ringShape: 'circle' } as const;
  const drawings = ['https://DESTINATION.EXAMPLE/R/7K3M9QXD', ...ADDRESSES.slice(1)].map((payload) => {
    return { payload, drawing: drawStyled(payload, { style }) };
  });
  const grade = async (order: typeof drawings) => {
    const reports = new Map<string, ScanReport>();
    for (const { payload, drawing } of order) reports.set(payload, await gradeDrawing(drawing, payload));
    return reports;
  };
  expect(await grade(drawings.toReversed())).toEqual(await grade(drawings));
});

test('looks that differ only in the colour of a transparent background are graded separately', async () => {
  const [payload = ''] = ADDRESSES;
  const judge = async (groundColour: string) => {
    const style = { ...DEFAULT_STYLE, moduleColour: '#14203d', groundColour, transparentGround: true };
    return (await judgeLook(drawStyled(payload, { style }), payload)).verdict;
  };
  expect(await judge('#ffffff')).toBe('graded');
  expect(await judge('#14203c')).not.toBe('graded');
});

test('a picture with different content counts as unread', async () => {
  const [payload = '', other = ''] = ADDRESSES;
  expect(await gradeDrawing(drawCode(other, {}), payload)).toMatchObject({ grade: null, read: 0 });
});
