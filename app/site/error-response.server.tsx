import { barePage } from '~/http/bare-page.server';
import { HostError } from '~/http/host-error.server';
import { log } from '~/http/log.server';
import { safePath } from '~/http/safe-path';
import { type RequestArgs, readScope, type Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { errorTextsOf } from '~/ui/error-page';

/**
 * For resource routes, whose errors the framework would return as JSON: turns an error into a page in the
 * visitor's language with its status and its `Retry-After`; redirects pass through. Programs and images,
 * which do not accept HTML, get the status alone.
 */
export async function orErrorPage(
  args: RequestArgs,
  act: (scope: Scope) => Promise<Response>,
): Promise<Response> {
  const scope = await readScope(args);
  try {
    return await act(scope);
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    const { status, headers, details } = refusalOf(scope, thrown);
    const acceptsHtml = scope.request.headers.get('accept')?.includes('text/html');
    return acceptsHtml ? errorPage(scope, status, headers, details) : new Response(null, { status, headers });
  }
}

interface Refusal {
  status: number;
  headers: HeadersInit;
  /** Data thrown along with it; it may select other texts than those of the status. */
  details?: unknown;
}

function refusalOf(scope: Scope, thrown: unknown): Refusal {
  if (thrown instanceof HostError) return { status: thrown.status, headers: {} };
  // The result of `data()`, as loaders throw it.
  const { init, data: details } = (thrown ?? {}) as { init?: ResponseInit | null; data?: unknown };
  if (init?.status) return { status: init.status, headers: init.headers ?? {}, details };
  const { requestId, signal } = scope;
  const path = scope.url.pathname;
  if (!signal.aborted) log.error({ err: thrown, requestId, path }, 'request failed');
  return { status: 500, headers: {} };
}

async function errorPage(
  scope: Scope,
  status: number,
  headers: HeadersInit,
  details: unknown,
): Promise<Response> {
  const { locale } = scope;
  const t = i18nOf(locale).getFixedT(null, 'common');
  const texts = errorTextsOf(status, details);
  const back = backOf(scope.request);
  const { requestId } = scope;
  return barePage({
    status,
    locale,
    headers,
    title: t(`${texts}.title`),
    children: (
      <>
        <p>{t(`${texts}.text`)}</p>
        <p className="act">
          {back !== '/' && (
            <a className="go" href={back}>
              {t('errors.back')}
            </a>
          )}
          <a href="/">{t('errors.home')}</a>
          <a href="/contact">{t('errors.contact')}</a>
        </p>
      </>
    ),
    foot: (
      <>
        {t('errors.reference')} <code>{requestId}</code>
      </>
    ),
  });
}

/** The page of this site that the visitor came from; the home page if the browser sends no referrer. */
function backOf({ url, headers }: Request): string {
  const referer = headers.get('referer') ?? '';
  if (!URL.canParse(referer)) return '/';
  const { host, pathname, search } = new URL(referer);
  return host === new URL(url).host ? safePath(pathname + search) : '/';
}
