import { ERROR_STATUS } from '#contract/errors';
import type { Landing } from '#contract/visits';
import { errorBody } from '#host/http/errors';
import type { KnownCode } from './known-codes';
import { listTextLinks } from './text-links';

export type Refusal = 'code_private' | 'code_unknown' | 'code_deleted';

const NO_STORE = { 'Cache-Control': 'no-store' };
const JSON_HEADERS = { ...NO_STORE, 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' };

/** What the website shows of a text or an e-mail code. */
export function landing({ type, content, subject, body }: KnownCode): Response {
  const data: Landing =
    type === 'email'
      ? { kind: 'email', address: content, subject, body }
      : { kind: 'text', text: content, links: listTextLinks(content) };
  return new Response(JSON.stringify({ data }), { headers: JSON_HEADERS });
}

export function refusal(code: Refusal, requestId: string): Response {
  const body = JSON.stringify(errorBody(code, requestId));
  return new Response(body, { status: ERROR_STATUS[code], headers: JSON_HEADERS });
}

/** Sends a browser that came straight to the short domain to the website's page. */
export function redirectTo(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location, ...NO_STORE } });
}
