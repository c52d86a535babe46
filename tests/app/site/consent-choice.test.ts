import { expect, test } from 'vitest';
import { composeConsent, findChoice, parseConsent } from '~/site/consent/choice';

const all = [true, false].flatMap((analytics) =>
  [true, false].map((advertising) => ({ analytics, advertising })),
);

test.each(all)('a choice is read back from the cookie unchanged: %o', (choice) => {
  const value = composeConsent(choice);
  expect(findChoice(`theme=dark; consent=${value}; lng=fr`, false)).toBe(value);
  expect(findChoice(`theme=dark; __Host-consent=${value}; lng=fr`, true)).toBe(value);
  expect(parseConsent(value)).toEqual({ necessary: true, ...choice });
});

test('a value of another version, a damaged value or that of another cookie is ignored', () => {
  for (const cookies of [
    '',
    'consent=',
    'consent=v2.analytics',
    'consent=v10',
    'consent=v1.everything',
    'consent=v1.advertising.analytics',
    'myconsent=v1',
    'consent=v1.analytics%20',
  ]) {
    expect(findChoice(cookies, false), cookies).toBeNull();
    expect(findChoice(cookies.replace('consent', '__Host-consent'), true), cookies).toBeNull();
  }
});

test('over TLS, a consent cookie that another host could plant is ignored', () => {
  expect(findChoice('consent=v1.analytics.advertising', true)).toBeNull();
  expect(findChoice('consent=v1.analytics.advertising; __Host-consent=v1', true)).toBe('v1');
});
