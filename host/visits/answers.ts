import type { Context } from 'hono';
import { ERROR_STATUS } from '#contract/errors';
import type { Landing } from '#contract/visits';
import { headerOf } from '#host/http/client-ip';
import { errorBody } from '#host/http/errors';
import type { KnownCode } from './packed-code';
import { listTextLinks } from './text-links';

export type Refusal = 'code_private' | 'code_unknown' | 'code_deleted' | 'code_circular';

const NO_STORE = { 'Cache-Control': 'no-store' };
const JSON_HEADERS = { ...NO_STORE, 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' };

/** What the website shows of a text or an e-mail code. */
export function landing(
  { type, content, subject, body }: KnownCode,
  headers: Record<string, string>,
): Response {
  const data: Landing =
    type === 'email'
      ? { kind: 'email', address: content, subject, body }
      : { kind: 'text', text: content, links: listTextLinks(content) };
  return new Response(JSON.stringify({ data }), { headers: { ...JSON_HEADERS, ...headers } });
}

export function refusal(code: Refusal, requestId: string): Response {
  const body = JSON.stringify(errorBody(code, requestId));
  return new Response(body, {
    status: ERROR_STATUS[code],
    headers: { ...JSON_HEADERS, 'X-Request-Id': requestId },
  });
}

export function redirectTo(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 302, headers: { Location: location, ...NO_STORE, ...headers } });
}

/**
 * Sends a browser that came straight to the host to the website's page at `path`. The gateway, which has that page at
 * hand, is told the path in `X-Accel-Redirect` and shows the page under the address that was asked for.
 */
export function leadToPage(
  context: Context,
  { publicUrl }: { publicUrl: string },
  path: string,
  headers: Record<string, string>,
): Response {
  const isInternal = headerOf(context, 'x-accept-internal-redirect') === '1';
  return redirectTo(publicUrl + path, isInternal ? { ...headers, 'X-Accel-Redirect': path } : headers);
}
