import { expect, test } from 'vitest';
import { checkContent, compose, payloadOf } from '#contract/contents/contents';
import { suggestMailAddress } from '#contract/contents/mail-addresses';

const mail = (content: string) => ({ type: 'email', content }) as const;

test.each([
  ['info@müller.de', 'info@müller.de', 'mailto:info@xn--mller-kva.de'],
  ['info@xn--mller-kva.de', 'info@xn--mller-kva.de', 'mailto:info@xn--mller-kva.de'],
  ['info@例え.テスト', 'info@例え.テスト', 'mailto:info@xn--r8jz45g.xn--zckzah'],
  ['info@straße.example', 'info@straße.example', 'mailto:info@xn--strae-oqa.example'],
  [
    'info@نامه\u200cای.example',
    'info@xn--mgba3gch31f060k.example',
    'mailto:info@xn--mgba3gch31f060k.example',
  ],
  ['Ada@Example.COM', 'Ada@Example.COM', 'mailto:Ada@example.com'],
  ['\u200bada@exa\u00admple.com\u2060', 'ada@example.com', 'mailto:ada@example.com'],
  // A Cyrillic letter that looks like a Latin one.
  ['ada@pаypal.example', 'ada@xn--pypal-4ve.example', 'mailto:ada@xn--pypal-4ve.example'],
])('the e-mail address %j is stored as %j and drawn as %j', (entered, stored, drawn) => {
  expect(checkContent(mail(entered))).toEqual([]);
  expect(compose(mail(entered)).content).toBe(stored);
  expect(payloadOf(mail(entered))).toBe(drawn);
  expect(payloadOf(mail(stored))).toBe(drawn);
});

test.each([
  ['mailto:info@example.com?subject=x', 'info@example.com'],
  ['Info <info@example.com>', 'info@example.com'],
  ['<info@example.com>', 'info@example.com'],
  ['“info@example.com”', 'info@example.com'],
  ['info(at)example.com', 'info@example.com'],
  ['info [at] example.com', 'info@example.com'],
  ['info＠example.com', 'info@example.com'],
  ['info@@example.com', 'info@example.com'],
  ['info@example,com', 'info@example.com'],
  ['info@example..com', 'info@example.com'],
  ['info@example.com.', 'info@example.com'],
  ['info@ example.com', 'info@example.com'],
  ['info@example.com/', 'info@example.com'],
  ['info@my_shop.example', 'info@my-shop.example'],
  ['info@müller,de', 'info@müller.de'],
  ["o'neil@example,com", "o'neil@example.com"],
])('the e-mail address %j is refused, and %j is offered', (entered, meant) => {
  expect(checkContent(mail(entered))).toEqual([{ field: 'content', code: `address_meant:${meant}` }]);
  expect(checkContent(mail(meant))).toEqual([]);
});

test.each([
  'ada',
  'ada@localhost',
  '@example.com',
  'ada@',
  'ada@3.14',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@[::1]',
  'ada@example.com, bob@example.com',
  'jürgen@müller.de',
  'ada@example.com:25',
  'ada@www',
  `${'x'.repeat(65)}@a.example`,
])('the e-mail address %j is refused, and nothing is offered', (entered) => {
  expect(suggestMailAddress(entered)).toBeNull();
  expect(checkContent(mail(entered))).toEqual([{ field: 'content', code: 'email_invalid' }]);
});
