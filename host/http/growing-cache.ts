import { LRUCache } from 'lru-cache';

/** Keeps the most recently used entries. Unlike with `max` of the library, memory is only taken as entries arrive. */
export function createGrowingCache<K extends string, V extends NonNullable<unknown>>(
  maxEntries: number,
  options: { ttl?: number } = {},
): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: maxEntries, sizeCalculation: () => 1 });
}
