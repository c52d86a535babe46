import { expect, test } from 'vitest';
import { createGrowingCache } from '#host/http/growing-cache';

test('a full cache drops the entry that was not used for longest', () => {
  const cache = createGrowingCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()].sort()).toEqual(['a', 'c']);
});
