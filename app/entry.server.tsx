import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  type ActionFunctionArgs,
  type AppLoadContext,
  createReadableStreamFromReadable,
  type EntryContext,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { renderToPipeableStream } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { log } from '~/http/log.server';
import { NonceContext } from '~/http/nonce';
import { scopeOf } from '~/http/scope.server';
import { setPageHeaders } from '~/http/security-headers.server';
import { hookServer } from '~/http/server-hooks.server';
import { InlineMessages } from '~/i18n/inline-messages';
import { getLocale } from '~/i18n/locale.server';
import { i18nOf, messagesOf } from '~/i18n/messages.server';
import { namespacesOf } from '~/i18n/namespaces';

/** Nothing is deferred; this only bounds how long a finished answer is kept in memory. */
export const streamTimeout = 1_000;

hookServer();

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString('base64');
  const locale = await getLocale(request);
  const inline = { locale, messages: messagesOf(locale, namespacesOf(new URL(request.url).pathname)) };
  setPageHeaders(headers, nonce);
  headers.set('X-Request-Id', scopeOf(context, request).requestId);

  return new Promise((resolve, reject) => {
    let isBroken = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <InlineMessages.Provider value={inline}>
          <I18nextProvider i18n={i18nOf(locale)}>
            <RemixServer context={entry} url={request.url} nonce={nonce} />
          </I18nextProvider>
        </InlineMessages.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        // Complete HTML before the first byte: without scripts nobody would swap late parts in.
        onAllReady() {
          clearTimeout(timer);
          const body = new PassThrough();
          const stream = createReadableStreamFromReadable(body);
          resolve(new Response(stream, { headers, status: isBroken ? 500 : status }));
          pipe(body);
        },
        onShellError(error) {
          clearTimeout(timer);
          reject(error);
        },
        onError(error) {
          isBroken = true;
          log.error({ err: error, requestId: scopeOf(context, request).requestId }, 'rendering failed');
        },
      },
    );
    const timer = setTimeout(abort, streamTimeout + 4_000);
    timer.unref();
  });
}

export function handleError(
  error: unknown,
  { request, context }: LoaderFunctionArgs | ActionFunctionArgs,
): void {
  if (request.signal.aborted) return;
  if (isRouteErrorResponse(error) && error.status < 500) return;
  log.error(
    { err: error, requestId: scopeOf(context, request).requestId, url: request.url },
    'request failed',
  );
}

export function handleDataRequest(response: Response): Response {
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'private, no-store');
  return response;
}
