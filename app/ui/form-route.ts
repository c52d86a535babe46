import {
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  isRouteErrorResponse,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { isDialogEntry } from './back-closes';
import { reloadIfDropped } from './background-refresh';

/** Why a request failed; keys of `common:form.failures`. */
export type FailureCode = 'network' | 'unavailable' | 'internal' | 'too_large' | 'rate_limited';

/** By the status of a response that has no form to show again. */
const CODES: Record<number, FailureCode> = { 413: 'too_large', 429: 'rate_limited', 503: 'unavailable' };

/** What a form gets in place of the action's result. */
interface Failure {
  failure: FailureCode;
}

export function failureOf(actionData: unknown): FailureCode | null {
  return typeof actionData === 'object' && actionData !== null && 'failure' in actionData
    ? (actionData as Failure).failure
    : null;
}

/**
 * The `clientAction` of every page with forms. When the network or the server fails, the router would replace
 * the page and everything typed with the error page; here the form gets the failure, and the page stays.
 */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  try {
    return await serverAction();
  } catch (thrown) {
    if (thrown instanceof Response) {
      if (!thrown.headers.has('X-Remix-Reload-Document')) reloadIfDropped();
      throw replaceEntry(thrown);
    }
    const failure = codeOf(thrown);
    if (request.signal.aborted || !failure) throw thrown;
    // An error status keeps the router from revalidating the page; only a response can carry one from here.
    return Response.json({ failure } satisfies Failure, { status: 503 });
  }
}

/** The address from which a page is loaded for a dialog over another page. */
export const forDialog = (path: string) => `${path}?dialog`;

/**
 * The `clientLoader` of every page that also opens as a dialog: if it cannot be loaded for the dialog, the
 * failure is returned, and the page below stays.
 */
export async function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  try {
    return await serverLoader();
  } catch (thrown) {
    const failure = thrown instanceof Response ? null : codeOf(thrown);
    const isForDialog = new URL(request.url).searchParams.has('dialog');
    if (request.signal.aborted || !failure || !isForDialog) throw thrown;
    return { failure } satisfies Failure;
  }
}

/**
 * The `shouldRevalidate` of every page: a failed action changes no data. By default the framework revalidates
 * after every action of a fetcher, which cannot succeed without a network.
 */
export function shouldRevalidate({ actionStatus = 200 }: ShouldRevalidateFunctionArgs): boolean {
  return actionStatus < 400;
}

/**
 * Makes a redirect to the current page add no history entry, and one from a dialog replace the dialog's
 * entry; by default a fetcher always pushes one.
 */
function replaceEntry(redirect: Response): Response {
  const { pathname, search } = window.location;
  const to = new URL(redirect.headers.get('Location') ?? '', window.location.href);
  const isHere = to.pathname + to.search === pathname + search;
  if (isHere || isDialogEntry(window.history.state)) redirect.headers.set('X-Remix-Replace', 'true');
  return redirect;
}

function codeOf(thrown: unknown): FailureCode | null {
  if (isRouteErrorResponse(thrown)) {
    return CODES[thrown.status] ?? (thrown.status >= 500 ? 'internal' : null);
  }
  // https://fetch.spec.whatwg.org/#fetch-method: a network error rejects with a TypeError.
  if (thrown instanceof TypeError) return 'network';
  // A proxy's page instead of a response from this server.
  const isForeign = thrown instanceof Error && thrown.message.startsWith('Unable to decode');
  return isForeign ? 'unavailable' : 'internal';
}
