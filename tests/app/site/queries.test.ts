import { expect, test } from 'vitest';
import { withQuery } from '~/site/choice-links';
import { readBilling } from '~/site/pricing-sections';

test('a value is set, replaced or removed without changing the rest of the query', () => {
  expect(withQuery('', { q: 'a b' })).toBe('?q=a+b');
  expect(withQuery('?lng=de&q=a', { q: 'ü' })).toBe('?lng=de&q=%C3%BC');
  expect(withQuery('?lng=de&q=a', { q: '' })).toBe('?lng=de');
  expect(withQuery('?q=a', { q: '' })).toBe('');
});

test('billing is monthly unless the query asks for yearly', () => {
  expect(readBilling('?billing=yearly')).toBe('yearly');
  for (const query of ['', '?billing=', '?billing=weekly', '?billing=YEARLY']) {
    expect(readBilling(query)).toBe('monthly');
  }
});
