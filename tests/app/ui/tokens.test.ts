import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DARK, LIGHT } from '#contract/colours';

const styles = readFileSync('app/styles.css', 'utf8');
const head = readFileSync('app/ui/page-head.tsx', 'utf8');

type Scheme = 'light' | 'dark';

/** Every colour of the theme in both schemes. */
function readColours(): Map<string, Record<Scheme, string>> {
  const found = styles.matchAll(/--color-([\w-]+): light-dark\((#\w+), (#\w+)\);/g);
  return new Map([...found].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]));
}

/** Relative luminance according to WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const colours = readColours();

function ratio(front: string, back: string, scheme: Scheme): number {
  const of = (name: string) => (name === 'white' ? '#ffffff' : (colours.get(name)?.[scheme] ?? ''));
  return contrast(of(front), of(back));
}

const TEXT = [
  ['ink', 'paper'],
  ['ink', 'sheet'],
  ['soft', 'paper'],
  ['soft', 'sheet'],
  ['bad', 'paper'],
  ['bad', 'sheet'],
  ['good', 'paper'],
  ['good', 'sheet'],
  ['on-seal', 'seal'],
  ['paper', 'bad'],
  ['paper', 'ink'],
] as const;

// White surfaces, such as pictures of codes, use the light scheme in every theme.
const TEXT_ON_WHITE = ['ink', 'soft', 'good', 'bad'];

const GRAPHICS = [
  ['edge', 'paper'],
  ['edge', 'sheet'],
  ['focus', 'paper'],
  ['focus', 'sheet'],
  ['seal', 'paper'],
  ['seal', 'sheet'],
] as const;

const SCHEMES = ['light', 'dark'] as const;

test('both schemes define every colour', () => {
  expect(colours.size).toBeGreaterThanOrEqual(13);
  for (const { light, dark } of colours.values()) {
    expect(light).toMatch(/^#[0-9a-f]{6}$/);
    expect(dark).toMatch(/^#[0-9a-f]{6}$/);
  }
});

test.each(TEXT)('text in %s on %s has a contrast of 7:1 in both schemes', (front, back) => {
  for (const scheme of SCHEMES) expect(ratio(front, back, scheme), scheme).toBeGreaterThanOrEqual(7);
});

test.each(TEXT_ON_WHITE)('text in %s on white has a contrast of 7:1', (front) => {
  expect(ratio(front, 'white', 'light')).toBeGreaterThanOrEqual(7);
});

test.each(GRAPHICS)('%s against %s has a contrast of 3:1 in both schemes', (front, back) => {
  for (const scheme of SCHEMES) expect(ratio(front, back, scheme), scheme).toBeGreaterThanOrEqual(3);
});

test('the accent is used only for large text and graphics, which need at most 4.5:1', () => {
  for (const scheme of SCHEMES) {
    expect(ratio('accent', 'paper', scheme)).toBeGreaterThanOrEqual(4.5);
    expect(ratio('accent', 'sheet', scheme)).toBeGreaterThanOrEqual(4.5);
  }
});

test("the browser's theme colour is that of the page background", () => {
  const paper = colours.get('paper');
  expect(paper).toEqual({ light: LIGHT.paper, dark: DARK.paper });
  expect(head).toContain('{ light: LIGHT.paper, dark: DARK.paper }');
});
