import { expect, test } from 'vitest';
import { foldLabel, readName, readTags } from '#contract/labels';

const FAMILY = '👩\u200d👩\u200d👧';

test.each([
  ['  Menu,  table 12 ', 'Menu, table 12'],
  ['Cafe\u0301', 'Café'],
  ['Table\n12\t3', 'Table 12 3'],
  [`Fête ${FAMILY} 🎉`, `Fête ${FAMILY} 🎉`],
  ['\u202eunem\u202c', 'unem'],
  ['=HYPERLINK("x")', '=HYPERLINK("x")'],
  ['\u200bMe\u00adnu\u2060\ufeff', 'Menu'],
  ['می\u200cخواهم ❤\ufe0f\u200d🔥', 'می\u200cخواهم ❤\ufe0f\u200d🔥'],
  ['🎉'.repeat(80), '🎉'.repeat(80)],
])('the name %j is stored as %j', (entered, name) => {
  expect(readName(entered)).toEqual({ name });
});

test.each(['', '   ', '\u200b\ufeff', '\u202e\u202c', '\u0301', '\u3164', '\u200d'])(
  '%j is no name',
  (entered) => {
    expect(readName(entered)).toEqual({ name: null });
  },
);

test.each([
  ['x'.repeat(81), 'name_too_long'],
  ['🎉'.repeat(81), 'name_too_long'],
  ['x'.repeat(10_000), 'name_too_long'],
  ['a\u0000b', 'name_invalid'],
  ['a\u0007b', 'name_invalid'],
  ['a\ud800b', 'name_invalid'],
])('an invalid name is refused (%#)', (entered, problem) => {
  expect(readName(entered)).toEqual({ problem });
});

test('tags that differ only in case, accents, Unicode form or space are merged into the first', () => {
  const entered = ['Été', ' ete ', 'E\u0301TE\u0301', 'ＥＴＥ', 'Straße', 'STRASSE', '', '\u200b', 'a, b ,A'];
  expect(readTags(entered)).toEqual({ tags: ['Été', 'Straße', 'a', 'b'] });
});

test('tags that differ only in invisible characters, or in how they are typed, are merged into the first', () => {
  const entered = [
    'menu',
    'menu\u200b',
    'me\u00adnu',
    '\ufeffMenu',
    'Œuvre',
    'oeuvre',
    'Chef’s',
    "chef's",
    '\u2060',
  ];
  expect(readTags(entered)).toEqual({ tags: ['menu', 'Œuvre', 'Chef’s'] });
  expect(readTags(['menu\u200b', 'menu'])).toEqual({ tags: ['menu'] });
});

test.each([
  ['Œuvre', 'oeuvre'],
  ['Ægir, ǽ', 'aegir, ae'],
  ['Smørrebrød ǿ', 'smorrebrod o'],
  ['Łódź', 'lodz'],
  ['Đà Nẵng', 'da nang'],
  ['Þórður', 'thordur'],
  ['Ħal Ŧ', 'hal t'],
  ['Straße STRAẞE', 'strasse strasse'],
  ['L’été ‘à’ ʼn', "l'ete 'a' 'n"],
  ['„Karte“ «menu» ”x”', '"karte" "menu" "x"'],
  ['A – B — C ‑ D − E', 'a - b - c - d - e'],
  ['me\u200bnu\u00ad \u200d\u3164\ufffax', 'menu x'],
  ['می\u200cخواهم', 'میخواهم'],
  ['Iğdır', 'igdir'],
])('%j is compared as %j', (text, key) => {
  expect(foldLabel(text)).toBe(key);
  expect(foldLabel(key)).toBe(key);
});

test('tags that differ in marks of other scripts are different', () => {
  expect(readTags(['कि', 'का', 'ガ', 'カ'])).toEqual({ tags: ['कि', 'का', 'ガ', 'カ'] });
});

test.each([
  [['x'.repeat(31)], 'tag_too_long'],
  [['y'.repeat(10_000)], 'tag_too_long'],
  [['a\u0000'], 'tag_invalid'],
  [['´'], 'accents_only'],
  [['menu', '¨ ¯'], 'accents_only'],
  [Array.from({ length: 11 }, (_, index) => `tag ${index}`), 'tags_too_many'],
])('invalid tags are refused (%#)', (entered, problem) => {
  expect(readTags(entered)).toEqual({ problem });
});

test('ten tags of thirty characters are accepted', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `${'🎉'.repeat(29)}${index}`);
  expect(readTags(ten)).toEqual({ tags: ten });
  expect(readTags([ten.join()])).toEqual({ tags: ten });
});

test('folding is idempotent', () => {
  for (const text of ['İstanbul', 'ΟΔΟΣ', 'ﬁn', 'Ǆ', 'ß', 'Å', '  A  B '])
    expect(foldLabel(foldLabel(text))).toBe(foldLabel(text));
});
