import type { EntryContext } from '@remix-run/node';
import { LRUCache } from 'lru-cache';

/** A rendered page in UTF-8, split at its one-time values; a number is the index of the value that goes there. */
export type Page = (Buffer | number)[];

const EMPTY = Buffer.alloc(0);
const pages = new LRUCache<string, Page>({ max: 100, ttl: 60_000 });

interface Shared {
  pathname: string;
  locale: string;
  entry: EntryContext;
  /** Values that differ in every response: the nonce, the idempotency key of a form. */
  once: string[];
}

/**
 * The cache key of a page, or null if it must not be cached. A page depends on its path, its language and its loader
 * data; the key has all of them, so visitors only share a page that would be rendered identically for both.
 */
export function pageCacheKey({ pathname, locale, entry, once }: Shared): string | null {
  const { loaderData, actionData, errors, statusCode } = entry.staticHandlerContext;
  const root = loaderData.root as { user?: unknown; notices?: unknown[]; unsent?: unknown } | undefined;
  if (statusCode !== 200 || actionData || errors || !root) return null;
  if (root.user || root.unsent || (root.notices?.length ?? 0) > 0) return null;
  return once.reduce(
    (key, value) => key.replaceAll(value, ''),
    JSON.stringify([pathname, locale, loaderData]),
  );
}

/** The cached page; undefined if it has to be rendered. */
export function findCachedPage(key: string): Page | undefined {
  return pages.get(key);
}

/** Caches a rendered page, cut at its one-time values. */
export function cachePage(key: string, html: string, once: string[]): Page {
  const cut = once.reduce<(string | number)[]>(
    (page, value, place) =>
      page.flatMap((part) =>
        typeof part === 'number'
          ? [part]
          : part.split(value).flatMap((piece, at) => (at === 0 ? [piece] : [place, piece])),
      ),
    [html],
  );
  const page = cut.map((part) => (typeof part === 'number' ? part : Buffer.from(part)));
  pages.set(key, page);
  return page;
}

/** The pieces of a page with the one-time values of a response. */
export function fillPage(page: Page, values: Buffer[]): Buffer[] {
  return page.map((part) => (typeof part === 'number' ? (values[part] ?? EMPTY) : part));
}
