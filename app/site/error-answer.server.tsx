import { barePage } from '~/http/bare-page.server';
import { HostError } from '~/http/host-error.server';
import { log } from '~/http/log.server';
import { safePath } from '~/http/safe-path';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { i18nOf } from '~/i18n/messages.server';
import { errorTextsOf } from '~/ui/error-status';

/**
 * For routes without a page of their own, whose failures the framework would answer with JSON: what goes wrong becomes
 * a page in the visitor's language with its status and its `Retry-After`; redirects stay what they are. Programs and
 * pictures, which ask for no HTML, get the status alone.
 */
export async function orErrorPage(
  requestContext: RequestContext,
  act: () => Promise<Response>,
): Promise<Response> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    const { status, headers, details } = refusalOf(requestContext, thrown);
    const takesPage = requestContext.request.headers.get('accept')?.includes('text/html');
    return takesPage
      ? errorPage(requestContext, status, headers, details)
      : new Response(null, { status, headers });
  }
}

interface Refusal {
  status: number;
  headers: HeadersInit;
  /** What was thrown with it; it may say that there are other texts than those of the status. */
  details?: unknown;
}

function refusalOf(requestContext: RequestContext, thrown: unknown): Refusal {
  if (thrown instanceof HostError) return { status: thrown.status, headers: {} };
  // What `data()` makes and loaders throw.
  const { init, data: details } = (thrown ?? {}) as { init?: ResponseInit | null; data?: unknown };
  if (init?.status) return { status: init.status, headers: init.headers ?? {}, details };
  const { requestId } = scopeOf(requestContext);
  const path = new URL(requestContext.request.url).pathname;
  if (!requestContext.request.signal.aborted) log.error({ err: thrown, requestId, path }, 'request failed');
  return { status: 500, headers: {} };
}

async function errorPage(
  requestContext: RequestContext,
  status: number,
  headers: HeadersInit,
  details: unknown,
): Promise<Response> {
  const locale = await getLocale(requestContext.request);
  const t = i18nOf(locale).getFixedT(null, 'common');
  const texts = errorTextsOf(status, details);
  const back = backOf(requestContext.request);
  const { requestId } = scopeOf(requestContext);
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

/** The page of this site that the visitor came from; the home page where the browser does not say. */
function backOf({ url, headers }: Request): string {
  const referer = headers.get('referer') ?? '';
  if (!URL.canParse(referer)) return '/';
  const { host, pathname, search } = new URL(referer);
  return host === new URL(url).host ? safePath(pathname + search) : '/';
}
