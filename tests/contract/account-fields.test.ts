import { expect, test } from 'vitest';
import { EmailField } from '#contract/account-fields';

const problemOf = (entered: string) => EmailField.safeParse(entered).error?.issues[0]?.message ?? null;
const long = (local: number, domain: string) => `${'a'.repeat(local)}@${domain}`;
/** 189 characters. */
const DOMAIN = `${'bcd.'.repeat(46)}bcdef`;

test.each([
  'ada@test.example',
  'Ada.Byron@Test.Example',
  'o&leary@example.com',
  "o'leary@example.com",
  'a=b!c+d@example.com',
  '#$%*/?^_`{|}~-@example.com',
  'user@xn--h1alffa9f.xn--p1ai',
  'user@example.xn--vermgensberatung-pwb',
  'user@1.example',
  long(64, 'example.com'),
  `a@${'b'.repeat(63)}.example`,
])('%s is an e-mail address, and is kept as typed', (entered) => {
  expect(EmailField.parse(` ${entered} `)).toBe(entered);
});

test.each([
  ['user@россия.рф', 'user@xn--h1alffa9f.xn--p1ai'],
  ['Ada@MÜNCHEN.example', 'Ada@xn--mnchen-3ya.example'],
  ['user@XN--H1ALFFA9F.XN--P1AI', 'user@xn--h1alffa9f.xn--p1ai'],
  ['user@例子。公司', 'user@xn--fsqu00a.xn--55qx5d'],
  ['ada@\u200btest.example\u200b', 'ada@test.example'],
])('the domain of %s is kept in ASCII', (entered, kept) => {
  expect(EmailField.parse(entered)).toBe(kept);
});

test.each([
  'ada',
  '@test.example',
  'ada@test',
  'ada@test.e',
  'ada@test.example.',
  'ada@test..example',
  'ada@-test.example',
  'ada@test-.example',
  'ada@te_st.example',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@xn--a.example',
  'ada@münchen.example/x',
  'ada@münchen.example:25',
  'ada@mün chen.example',
  '.ada@test.example',
  'ada.@test.example',
  'a..da@test.example',
  'ädä@test.example',
  '"a da"@test.example',
  'a da@test.example',
  'a@da@test.example',
  'ada@test.example,eva@test.example',
  '<ada@test.example>',
  'ada@test.example\r\nBcc: eva@test.example',
  'ada\0@test.example',
  long(65, 'example.com'),
  `a@${'b'.repeat(64)}.example`,
  `a@${'ü'.repeat(60)}.example`,
])('%j is no address that mail can be delivered to', (entered) => {
  expect(problemOf(entered)).toBe('email_invalid');
});

test('an address may have 254 characters, in ASCII', () => {
  expect([long(64, DOMAIN).length, problemOf(long(64, DOMAIN))]).toEqual([254, null]);
  expect(problemOf(long(64, `${DOMAIN}g`))).toBe('email_too_long');
  const entered = `a@${'ü.'.repeat(35)}example`;
  expect([entered.length < 254, problemOf(entered)]).toEqual([true, 'email_too_long']);
});

test('an empty field is not an invalid address', () => {
  expect([problemOf(''), problemOf(' ')]).toEqual(['email_required', 'email_required']);
});
