import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkContent, compose, payloadOf } from '#contract/contents/contents';
import { tidyAddress, withoutInvisible } from '#contract/invisible';
import { expectWithinTime } from '../support/time-limit';

test.each([
  ['menu\u200b', 'menu'],
  ['\ufeffm\u00ade\u200en\u2060u\u{e0041}', 'menu'],
  ['a\u200db \u200c', 'ab '],
  ['u\ufe0f1\ufe0f', 'u1'],
  ['x\u{e0067}\u{e007f}', 'x'],
  // Twice where once has an effect.
  ['می\u200c\u200cخواهم', 'می\u200cخواهم'],
  ['меню\u200bкарта', 'менюкарта'],
])('%j becomes %j', (text, clean) => {
  expect(withoutInvisible(text)).toBe(clean);
});

test.each([
  ['a family', '👩\u200d👩\u200d👧'],
  ['a heart on fire', '❤\ufe0f\u200d🔥'],
  ['a skin colour', '🧑🏽\u200d🚀'],
  ['a key cap', '1\ufe0f\u20e3'],
  ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['Persian', 'می\u200cخواهم'],
  ['Hindi', 'क्\u200dष और क्\u200cष'],
  ['Sinhala', 'ශ්\u200dරී'],
  ['Khmer', 'សួស្តី\u200bពិភពលោក'],
  ['Mongolian', 'ᠬᠠᠮᠲᠤ\u180eᠠ'],
  ['a variant of a Chinese character', '葛\u{e0100}'],
  ['controls of direction', 'a\u202eb\u2066'],
])('%s stays as it is', (_, text) => {
  expect(withoutInvisible(text)).toBe(text);
});

test('what remains has nothing more to remove', () => {
  const piece = fc.constantFrom(
    ...'a1ü👩❤🏴मک\u200b\u200c\u200d\ufe0f\u20e3\u00ad\ufeff \u202e',
    '\u{e0067}',
    '\u{e007f}',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const clean = withoutInvisible(pieces.join(''));
      expect(withoutInvisible(clean)).toBe(clean);
    }),
    { numRuns: 2000 },
  );
});

test.each(['\u200b', '🏴\u{e0067}', 'x ', 'می\u200c', '\u{e0067}'])(
  '%j ten thousand times takes little time',
  (text) => {
    const long = `x${text.repeat(10_000)}x`;
    expectWithinTime(() => tidyAddress(long));
  },
);

test('a text keeps invisible characters, unless it has no others', () => {
  const text = 'Soft\u00adhyphen, می\u200cخواهم\u200b 👩\u200d👧';
  expect(compose({ type: 'text', content: text }).content).toBe(text);
  for (const type of ['link', 'text', 'email'] as const)
    for (const content of ['\u200b', ' \ufeff\u2060 ', '\u00ad\n\u200d'])
      expect(checkContent({ type, content })).toEqual([{ field: 'content', code: 'content_required' }]);
});

test('names and passwords of networks lose invisible characters', () => {
  const entered = {
    type: 'wifi',
    content: '',
    ssid: 'Gu\u00adest\u200b',
    passphrase: 'espres\u200dso\ufeff',
  } as const;
  expect(checkContent(entered)).toEqual([]);
  expect(compose(entered).content).toBe('WIFI:T:WPA;S:Guest;P:espresso;;');
  expect(payloadOf({ ...entered, ssid: 'Café 👩\u200d👧' })).toContain('S:Café 👩\u200d👧;');
  expect(checkContent({ ...entered, ssid: '\u200b' })).toEqual([{ field: 'ssid', code: 'ssid_required' }]);
  // 32 bytes are the limit, without what is removed.
  expect(checkContent({ ...entered, ssid: `${'x'.repeat(32)}\u200b` })).toEqual([]);
});
