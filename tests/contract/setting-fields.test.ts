import { expect, test } from 'vitest';
import { AddressSetting, SecretsSetting } from '#contract/setting-fields';

test.each([
  ['https://q.example', 'https://q.example'],
  ['https://q.example/', 'https://q.example'],
  ['http://localhost:3000//', 'http://localhost:3000'],
  ['https://q.example/codes/', 'https://q.example/codes'],
])('the address %s is normalised so that paths can be appended: %s', (given, address) => {
  expect(AddressSetting.parse(given)).toBe(address);
});

test.each([
  'q.example',
  'ftp://q.example',
  'javascript:alert(1)',
  'https://q.example/?a=1',
  'https://q.example/#a',
])('the address %s is refused', (given) => {
  expect(AddressSetting.safeParse(given).success).toBe(false);
});

test('secrets are separated by commas, and each has at least 32 characters', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];
  expect(SecretsSetting.parse(`${first}, ${second}`)).toEqual([first, second]);
  for (const list of ['a'.repeat(31), `${first},${'b'.repeat(31)}`, `${first},`, ''])
    expect(SecretsSetting.safeParse(list).success).toBe(false);
});
