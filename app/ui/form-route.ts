import {
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  isRouteErrorResponse,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { isDialogEntry } from './back-closes';

/** Why there is no answer; keys of `common:form.failures`. */
export type FailureCode = 'network' | 'unavailable' | 'internal' | 'too_large' | 'rate_limited';

/** By the status of an answer that has no form to show again. */
const CODES: Record<number, FailureCode> = { 413: 'too_large', 429: 'rate_limited', 503: 'unavailable' };

/** What a form gets where the action did not answer it. */
interface Failure {
  failure: FailureCode;
}

export function failureOf(answer: unknown): FailureCode | null {
  return typeof answer === 'object' && answer !== null && 'failure' in answer
    ? (answer as Failure).failure
    : null;
}

/**
 * The `clientAction` of every page with forms. Where the network or the server fails, the router would put the page
 * for errors in place of everything typed; here the form is told instead, and the page stays.
 */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  try {
    return await serverAction();
  } catch (thrown) {
    if (thrown instanceof Response) throw inPlace(thrown);
    const failure = codeOf(thrown);
    if (request.signal.aborted || !failure) throw thrown;
    // An error's status keeps the router from loading the page anew; only a response can carry one from here.
    return Response.json({ failure } satisfies Failure, { status: 503 });
  }
}

/** Where a page is loaded for a dialog over another one. */
export const forDialog = (path: string) => `${path}?dialog`;

/**
 * The `clientLoader` of every page that also opens as a dialog: where it cannot be loaded, the dialog's opener is told,
 * and the page below stays.
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
 * The `shouldRevalidate` of every page: what did not happen changes no page. Without it the framework loads the page
 * anew after a fetcher's action all the same, and without a network there is nothing to be loaded.
 */
export function shouldRevalidate({ actionStatus = 200 }: ShouldRevalidateFunctionArgs): boolean {
  return actionStatus < 400;
}

/**
 * A redirect to the page that is shown adds no step to go back by, and one from a dialog takes the place of the step
 * that the dialog has; a fetcher knows only how to push.
 */
function inPlace(redirect: Response): Response {
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
  // A proxy's page instead of an answer of this server.
  const isForeign = thrown instanceof Error && thrown.message.startsWith('Unable to decode');
  return isForeign ? 'unavailable' : 'internal';
}
