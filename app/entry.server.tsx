import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ActionFunctionArgs, AppLoadContext, EntryContext, LoaderFunctionArgs } from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import type { ReactElement } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import type { Locale } from '#contract/locales';
import { loggedPath } from '#runtime/request-target';
import { log } from '~/http/log.server';
import { NonceContext } from '~/http/nonce';
import { cachePage, fillPage, findCachedPage, pageCacheKey } from '~/http/page-cache.server';
import { keepPublicPage, makeNonce } from '~/http/public-pages.server';
import { readScope, type Scope } from '~/http/scope.server';
import { setPageHeaders } from '~/http/security-headers.server';
import { installServerHooks } from '~/http/server-hooks.server';
import { i18nOf, messagesPath, namespacesOf } from '~/i18n/messages.server';
import { PageMessagesContext } from '~/i18n/page-messages';
import { warmDrawingPool } from './codes/pictures/drawing-pool.server';

/** In ms. Nothing is deferred, so this only limits how long a finished response stays in memory. */
export const streamTimeout = 100;

const RENDER_TIMEOUT_MS = 5_000;
const WARM_AFTER_MS = 1_000;
/** Retry-After of a 503 that does not specify its own. */
const UNAVAILABLE_RETRY_SECONDS = 30;

installServerHooks();
// Delayed, so that it does not slow down the first responses.
if (import.meta.env.PROD) setTimeout(warmDrawingPool, WARM_AFTER_MS).unref();

export default async function handleRequest(
  request: Request,
  responseStatus: number,
  headers: Headers,
  entry: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const scope = await readScope({ request, context });
  const status = loaderErrorStatus(entry) ?? responseStatus;
  const nonce = makeNonce();
  const root = entry.staticHandlerContext.loaderData.root as { locale?: Locale } | undefined;
  const locale = root?.locale ?? scope.locale;
  setPageHeaders(headers, nonce, { method: request.method, path: pathname });
  headers.set('X-Request-Id', scope.requestId);
  // Remix drops all headers of loader and action responses except cookies.
  setRetryAfter(headers, status, scope);

  const once = [nonce, ...(scope.once ?? []).map(({ value }) => value)];
  const key = search === '' && !scope.isPersonal ? pageCacheKey({ pathname, locale, entry, once }) : null;
  const shared = key ? findCachedPage(key) : undefined;
  if (shared) {
    keepPublicPage({ scope, entry, page: shared, headers });
    const values = once.map((value) => Buffer.from(value));
    return new Response(bodyOf(Buffer.concat(fillPage(shared, values))), { status, headers });
  }

  const texts = { locale, path: messagesPath(locale, namespacesOf(pathname)) };
  const page = (
    <NonceContext.Provider value={nonce}>
      <PageMessagesContext.Provider value={texts}>
        <I18nextProvider i18n={i18nOf(locale)}>
          <RemixServer context={entry} url={request.url} nonce={nonce} />
        </I18nextProvider>
      </PageMessagesContext.Provider>
    </NonceContext.Provider>
  );
  const { html, error } = await render(page, nonce);
  if (error) log.error({ err: error, requestId: scope.requestId }, 'rendering failed');
  else if (key) keepPublicPage({ scope, entry, page: cachePage(key, html, once), headers });
  return new Response(html, { status: error ? 500 : status, headers });
}

/** Status of the error a loader threw; Remix would send the status of the action that ran before it. */
function loaderErrorStatus({ staticHandlerContext: { errors } }: EntryContext): number | null {
  const [error] = Object.values(errors ?? {});
  if (error === undefined) return null;
  return isRouteErrorResponse(error) ? error.status : 500;
}

/** Streams the bytes themselves: a Response made from the buffer would copy them twice. */
function bodyOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Waits for the complete HTML: without scripts late chunks stay hidden, and one piece compresses better. */
function render(page: ReactElement, nonce: string): Promise<{ html: string; error: unknown }> {
  return new Promise((resolve, reject) => {
    let failure: unknown;
    const { pipe, abort } = renderToPipeableStream(page, {
      nonce,
      onAllReady() {
        clearTimeout(timer);
        text(pipe(new PassThrough())).then(
          (html) => resolve({ html: fixDocumentEnd(html), error: failure }),
          reject,
        );
      },
      onShellError(error) {
        clearTimeout(timer);
        reject(error);
      },
      onError(error) {
        failure = error;
      },
    });
    const timer = setTimeout(abort, RENDER_TIMEOUT_MS);
    timer.unref();
  });
}

/**
 * React 18 pads its buffer with a NUL byte where a multi-byte character did not fit, which is invalid HTML.
 * It also closes the document before the last scripts of Remix, although nothing may follow the closing tags.
 */
function fixDocumentEnd(streamed: string): string {
  const html = streamed.replaceAll('\u0000', '');
  const end = '</body></html>';
  const at = html.indexOf(end);
  return at < 0 ? html : html.slice(0, at) + html.slice(at + end.length) + end;
}

export async function handleError(
  error: unknown,
  args: LoaderFunctionArgs | ActionFunctionArgs,
): Promise<void> {
  const { requestId, signal, url } = await readScope(args);
  if (signal.aborted) return;
  if (isRouteErrorResponse(error) && error.status < 500) return;
  log.error(
    // Without the query, which may contain the secret of a mailed link.
    { err: error, requestId, path: loggedPath(url.pathname) },
    'request failed',
  );
}

export async function handleDataRequest(
  response: Response,
  args: LoaderFunctionArgs | ActionFunctionArgs,
): Promise<Response> {
  setRetryAfter(response.headers, response.status, await readScope(args));
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'private, no-store');
  return response;
}

function setRetryAfter(headers: Headers, status: number, { retryAfterSeconds }: Scope): void {
  if (status !== 429 && status !== 503) return;
  const seconds = retryAfterSeconds ?? (status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined);
  if (seconds) headers.set('Retry-After', String(seconds));
}
