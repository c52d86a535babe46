import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProfileForm } from '#contract/accounts';
import { AddressForm } from '#contract/addresses';
import { nativeLimits } from '~/account/native-limits';
import { readConstraints } from '~/http/constraints.server';

test('lengths and patterns become attributes, empty rules do not', () => {
  expect(nativeLimits(undefined)).toEqual({});
  expect(nativeLimits({ minLength: 8, maxLength: 100, pattern: '^\\d+$' })).toEqual({
    minLength: 8,
    maxLength: 100,
    pattern: '^\\d+$',
  });
  expect(nativeLimits({ minLength: 1 })).toEqual({});
});

test('a pattern that browsers cannot compile is left out', () => {
  expect(nativeLimits({ pattern: '^[+-]+$' })).toEqual({});
});

test.each([
  ['profile', ProfileForm],
  ['billing-address', AddressForm],
])('all rules of the %s form become attributes that browsers accept', (_, form) => {
  const rules = readConstraints(z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' }));
  expect(Object.keys(rules).length).toBeGreaterThan(0);
  for (const constraint of Object.values(rules)) {
    const { pattern } = nativeLimits(constraint);
    if (pattern) expect(() => new RegExp(pattern, 'v')).not.toThrow();
  }
  const [[, first] = []] = Object.entries(rules);
  expect(nativeLimits(first).maxLength).toBeGreaterThan(0);
});
