import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkContent, compose, payloadOf } from '#contract/contents/contents';
import { completePhoneNumber, composeSms } from '#contract/contents/phone-numbers';

const phone = (content: string) => ({ type: 'phone' as const, content });

test.each([
  ['+33 1 23 45 67 89', '+33123456789'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['(030) 123.45-67', '0301234567'],
  ['tel:+1-202-555-0143', '+12025550143'],
  ['+49 30 1234567;ext=12', '+49301234567;ext=12'],
  ['\u200e+34\u00a0910\u202f123\u00a0456', '+34910123456'],
  ['＋３９ ０２ １２３４ ５６７８', '+390212345678'],
  ['112', '112'],
])('%j is stored as %j, and drawn as its tel: address', (entered, stored) => {
  expect(checkContent(phone(entered))).toEqual([]);
  expect(compose(phone(entered)).content).toBe(stored);
  expect(payloadOf(phone(entered))).toBe(`tel:${stored}`);
});

test.each([
  ['', 'content_required'],
  ['hello', 'phone_invalid'],
  ['*#06#', 'phone_invalid'],
  ['tel:*21*0123456#', 'phone_invalid'],
  ['0800 FLOWERS', 'phone_invalid'],
  ['+33 1 23 45 67 89;ext=12;phone-context=x', 'phone_length'],
  ['+0 123 456', 'phone_length'],
  ['12', 'phone_length'],
  ['+1234567890123456', 'phone_length'],
  ['+33 1\u202e23 45', 'bidi_controls'],
])('%j is refused: %s', (entered, code) => {
  expect(checkContent(phone(entered))).toEqual([{ field: 'content', code }]);
});

test('a message goes to the number without its extension', () => {
  expect(composeSms('+49301234567;ext=12')).toBe('sms:+49301234567');
});

test('a number of 3 to 15 digits is accepted however it is separated, and stays the same from then on', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 15 });
  const separator = fc.constantFrom('', ' ', '.', '-', '–', '/', '\u00a0');
  const number = fc
    .tuple(fc.boolean(), digits, separator)
    .filter(([isFull, all]) => !isFull || !all.startsWith('0'));
  fc.assert(
    fc.property(number, ([isFull, all, between]) => {
      const plain = (isFull ? '+' : '') + all;
      const entered = (isFull ? '+' : '') + [...all].join(between);
      expect(completePhoneNumber(entered)).toBe(plain);
      expect(payloadOf(phone(plain))).toBe(`tel:${plain}`);
    }),
  );
});

test('whatever is typed, a stored number has nothing that dials anything else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (entered) => {
      expect(completePhoneNumber(entered) ?? '112').toMatch(/^\+?\d{3,15}(?:;ext=\d{1,15})?$/);
    }),
  );
});
