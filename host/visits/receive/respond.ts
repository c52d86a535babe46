import type { Context } from 'hono';
import { isDynamic } from '#contract/contents/contents';
import type { Landing } from '#contract/contents/landings';
import { ERROR_STATUS } from '#contract/errors';
import type { ClosedPage, CodeOwner } from '#contract/visits';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { withTimeout } from '#host/db/timeout';
import type { Authenticate } from '#host/http/caller';
import { bearerOf } from '#host/http/caller';
import { errorBody } from '#host/http/errors';
import { headerOf } from '#host/http/request-headers';
import type { CachedCode } from '#host/visits/resolve/packed-code';
import type { Visit } from './classify';

type Refusal = 'code_private' | 'code_unknown' | 'code_deleted' | 'code_blocked' | 'code_circular';

const NO_STORE = { 'Cache-Control': 'no-store' };
const JSON_HEADERS = { ...NO_STORE, 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' };

/** What the website's landing page shows of a code that does not redirect. */
export function respondLanding(
  code: CachedCode,
  owner: CodeOwner,
  headers: Record<string, string>,
): Response {
  const data: Landing | undefined = HOSTED[code.type].landing?.(code);
  return new Response(JSON.stringify({ data, owner }), { headers: { ...JSON_HEADERS, ...headers } });
}

/** What the website's page says instead of showing a code that is paused or has ended. */
export function respondClosed(
  kind: ClosedPage['kind'],
  message: string,
  owner: CodeOwner,
  headers: Record<string, string>,
): Response {
  const closed: ClosedPage = { kind, message };
  return new Response(JSON.stringify({ data: closed, owner }), { headers: { ...JSON_HEADERS, ...headers } });
}

export function respondRefusal(code: Refusal, requestId: string, headers: Record<string, string>): Response {
  const body = JSON.stringify(errorBody(code, requestId));
  return new Response(body, {
    status: ERROR_STATUS[code],
    headers: { ...JSON_HEADERS, ...headers },
  });
}

export function redirectTo(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 302, headers: { Location: location, ...NO_STORE, ...headers } });
}

/**
 * Redirects a browser that came straight to the host to the website's page at `path`. Behind the gateway, an internal
 * redirect (`X-Accel-Redirect`) shows that page under the requested URL.
 */
export function redirectToPage(
  context: Context,
  { publicUrl }: { publicUrl: string },
  path: string,
  headers: Record<string, string>,
): Response {
  const isInternal = headerOf(context, 'x-accept-internal-redirect') === '1';
  return redirectTo(publicUrl + path, isInternal ? { ...headers, 'X-Accel-Redirect': path } : headers);
}

type Outcome = Visit['outcome'];

/** Those that a code's page is not shown for, as an error; a pause or an end is none. */
export const REFUSAL_OF: Record<Exclude<Outcome, 'served' | 'paused' | 'ended'>, Refusal> = {
  private: 'code_private',
  unknown: 'code_unknown',
  deleted: 'code_deleted',
  blocked: 'code_blocked',
};
const OWNER_TIMEOUT_MS = 1_000;

/** Before its routing is asked. The image of a Wi-Fi code contains the network itself, so its short URL has no target. */
export function outcomeOf(code: CachedCode | null, isOwner: boolean): 'served' | keyof typeof REFUSAL_OF {
  if (!code || !isDynamic(code.type)) return 'unknown';
  if (code.isDeleted) return 'deleted';
  if (code.isBlocked) return 'blocked';
  return code.isPrivate && !isOwner ? 'private' : 'served';
}

/**
 * The account of a signed-in visitor, whose token the website forwards; null for anybody else. An invalid token is
 * treated like none.
 */
export async function findVisitor(context: Context, authenticate: Authenticate): Promise<string | null> {
  const token = bearerOf(context);
  if (!token) return null;
  return withTimeout(authenticate(token), OWNER_TIMEOUT_MS).then(
    ({ accountId }) => accountId,
    () => null,
  );
}

export function wantsJson(context: Context): boolean {
  return headerOf(context, 'accept')?.includes('application/json') ?? false;
}

/** The URL-safe characters of something that is not a slug. */
export function printableSlug(pathCode: string): string {
  return pathCode.replace(/[^\w-]/g, '').slice(0, 64) || 'unknown';
}
