import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { EntryContext } from '@remix-run/node';
import { LRUCache } from 'lru-cache';
import { HOST_PREFIX } from '#contract/cookie-names';
import { preferredLocale } from '#runtime/accept-language';
import { REQUEST_ID_HEADER } from '#runtime/request-id';
import { headerOf } from '#runtime/request-target';
import { fillPage, type Page } from './page-cache.server';
import type { OneTimeValue, Scope } from './scope.server';
import { setPageHeaders } from './security-headers.server';
import { themeOf } from './theme.server';

/** Short enough that nobody waits for a changed price or text, and long enough that a crowd shares one rendering. */
const KEPT_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Cookies that pages may depend on and be shared nevertheless: they are part of the key. */
const CHOICES = new Set(['lng', 'theme', 'consent'].flatMap((name) => [name, HOST_PREFIX + name]));

interface PublicPage {
  page: Page;
  bytes: number;
  /** The same, compressed piece by piece on the first request for it. */
  compressed?: Page;
  /** Those that are the same in every response. */
  headers: [name: string, value: string][];
  /** Make the one-time values of a response, in the order of their numbers in the page. */
  renew: (() => string)[];
}

const pages = new LRUCache<string, PublicPage>({
  maxSize: MAX_BYTES,
  sizeCalculation: ({ bytes }) => bytes,
  ttl: KEPT_MS,
  // Reading the clock costs nothing beside a page.
  ttlResolution: 0,
});

interface PageRequest {
  method: string | undefined;
  /** With the query. */
  path: string;
  header(name: string): string | null | undefined;
}

/**
 * Everything that a public page depends on: the address, the language, the theme and the cookie choice. Null for a
 * request with anything else a page could depend on, such as any other cookie, a query or a body.
 */
export function publicPageKey({ method, path, header }: PageRequest): string | null {
  if (method !== 'GET' || path.includes('?') || header('range') || header('authorization')) return null;
  const cookies = header('cookie') ?? '';
  const names = cookies.split(/;\s*/).map((cookie) => cookie.slice(0, Math.max(0, cookie.indexOf('='))));
  if (cookies !== '' && !names.every((name) => CHOICES.has(name))) return null;
  return JSON.stringify([
    header('host'),
    header('x-forwarded-host'),
    path,
    preferredLocale(cookies, header('accept-language') ?? undefined),
    themeOf(cookies),
    cookies.match(/(?:__Host-)?consent=[^;]*/g),
  ]);
}

/** Answers requests for pages that were just rendered for a like request, before the handlers of `server` see them. */
export function answerPublicPages(server: Server): void {
  const handlers = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const key = publicPageKey({ method: request.method, path, header: (name) => headerOf(request, name) });
    const known = key === null ? undefined : pages.get(key);
    if (known) return answer(known, path, request, response);
    for (const handler of handlers) handler.call(server, request, response);
  });
}

function answer(known: PublicPage, path: string, request: IncomingMessage, response: ServerResponse): void {
  const nonce = makeNonce();
  const values = [nonce, ...known.renew.map((renew) => renew())].map((value) => Buffer.from(value));
  const headers = new Headers(known.headers);
  setPageHeaders(headers, nonce, { method: 'GET', path });
  headers.set('X-Request-Id', String(request.headers[REQUEST_ID_HEADER]));
  headers.append('Vary', 'Accept-Encoding');
  const isCompressed = acceptsGzip(headerOf(request, 'accept-encoding'));
  const body = isCompressed ? gzip(known, values) : Buffer.concat(fillPage(known.page, values));
  if (isCompressed) headers.set('Content-Encoding', 'gzip');
  headers.set('Content-Length', String(body.length));
  response.setHeaders(headers).writeHead(200).end(body);
}

export function makeNonce(): string {
  return randomBytes(16).toString('base64');
}

/** RFC 9110, section 12.5.3. */
function acceptsGzip(header = ''): boolean {
  return /(?:^|[,\s])gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i.test(header);
}

/** RFC 1952: no flags, no time, any system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** RFC 1951, section 3.2.4: an empty stored block, the last one. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);

/** RFC 1951: how far back a match may refer. */
const WINDOW_BYTES = 32_768;
/** Occurs in no text in UTF-8, so that no match refers to a one-time value. */
const NEVER = 0xff;

/** The shared pieces are compressed once, and the values between them, always as long, are stored as they are. */
function gzip(known: PublicPage, values: Buffer[]): Buffer {
  known.compressed ??= compress(known.page, values);
  const blocks = fillPage(known.compressed, values.map(storedBlock));
  const trailer = Buffer.alloc(8);
  const parts = fillPage(known.page, values);
  trailer.writeUInt32LE(parts.reduce((sum, part) => crc32(part, sum), 0));
  trailer.writeUInt32LE(
    parts.reduce((sum, part) => sum + part.length, 0),
    4,
  );
  return Buffer.concat([GZIP_HEADER, ...blocks, LAST_BLOCK, trailer]);
}

/** Each piece with what precedes it as its dictionary, as if it were compressed in one go. */
function compress(page: Page, values: Buffer[]): Page {
  let window = Buffer.alloc(0);
  return page.map((part) => {
    const bytes = typeof part === 'number' ? Buffer.alloc(values[part]?.length ?? 0, NEVER) : part;
    const dictionary = window;
    window = Buffer.concat([window, bytes]).subarray(-WINDOW_BYTES);
    if (typeof part === 'number') return part;
    return deflateRawSync(part, { level: 9, finishFlush: constants.Z_SYNC_FLUSH, dictionary });
  });
}

function storedBlock(bytes: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(0xffff - bytes.length, 3);
  return Buffer.concat([header, bytes]);
}

interface Rendered {
  scope: Scope;
  entry: EntryContext;
  /** Cut at the nonce and at the one-time values of `scope`. */
  page: Page;
  headers: Headers;
}

/** Keeps the response to `scope` for others, if its route says that its page is public and nothing in it is personal. */
export function keepPublicPage({ scope, entry, page, headers }: Rendered): void {
  const once = scope.once ?? [];
  const { pathname, search } = scope.url;
  const { request } = scope;
  const key = publicPageKey({
    method: request.method,
    path: pathname + search,
    header: (name) => request.headers.get(name),
  });
  if (key === null || !isPublic(entry) || headers.has('Set-Cookie') || !once.every(isRenewable)) return;
  pages.set(key, {
    page,
    bytes: page.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 0 : part.length), 0),
    headers: [...headers].filter(([name]) => !OWN_HEADERS.has(name)),
    renew: once.flatMap(({ renew }) => renew ?? []),
  });
}

/** Set anew for each response. */
const OWN_HEADERS = new Set(['content-security-policy', 'x-request-id']);

function isRenewable({ renew }: OneTimeValue): boolean {
  return renew !== undefined;
}

function isPublic({ routeModules, staticHandlerContext: { matches } }: EntryContext): boolean {
  const id = matches.at(-1)?.route.id;
  const handle = id === undefined ? undefined : routeModules[id]?.handle;
  return (handle as { isPublic?: boolean } | undefined)?.isPublic === true;
}
