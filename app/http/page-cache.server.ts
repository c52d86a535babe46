import type { EntryContext } from '@remix-run/node';
import { LRUCache } from 'lru-cache';

/** A rendered page in UTF-8, cut where something used only once stood; the numbers say which of these belongs there. */
type Page = (Buffer | number)[];

const EMPTY = Buffer.alloc(0);
const pages = new LRUCache<string, Page>({ max: 100, ttl: 60_000 });

interface Shared {
  pathname: string;
  locale: string;
  entry: EntryContext;
  /** What differs in every answer: the nonce, the idempotency key of a form. */
  once: string[];
}

/**
 * The key under which a page may be used again, or null. A page is drawn from its path, its language and the data of
 * its loaders; all of that is in the key, so two visitors share one only when they would be shown the same anyhow.
 */
export function sharedPageKey({ pathname, locale, entry, once }: Shared): string | null {
  const { loaderData, actionData, errors, statusCode } = entry.staticHandlerContext;
  const root = loaderData.root as { user?: unknown; notices?: unknown[]; unsent?: unknown } | undefined;
  if (statusCode !== 200 || actionData || errors || !root) return null;
  if (root.user || root.unsent || (root.notices?.length ?? 0) > 0) return null;
  return once.reduce(
    (key, value) => key.replaceAll(value, ''),
    JSON.stringify([pathname, locale, loaderData]),
  );
}

/** The page with this answer's own values in it; null when it has to be drawn first. */
export function findSharedPage(key: string, once: string[]): Buffer | null {
  const page = pages.get(key);
  if (!page) return null;
  const values = once.map((value) => Buffer.from(value));
  return Buffer.concat(page.map((part) => (typeof part === 'number' ? (values[part] ?? EMPTY) : part)));
}

export function keepSharedPage(key: string, html: string, once: string[]): void {
  const cut = once.reduce<(string | number)[]>(
    (page, value, place) =>
      page.flatMap((part) =>
        typeof part === 'number'
          ? [part]
          : part.split(value).flatMap((piece, at) => (at === 0 ? [piece] : [place, piece])),
      ),
    [html],
  );
  pages.set(
    key,
    cut.map((part) => (typeof part === 'number' ? part : Buffer.from(part))),
  );
}
