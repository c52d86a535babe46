import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { html, raw } from 'hono/html';
import { DARK, LIGHT } from '#contract/colours';
import { oauthErrorOf, PROBLEM_TYPE, problemOf } from '#contract/errors';
import { LOCALES } from '#contract/locales';
import { preferredLocale } from '#runtime/accept-language';
import de from '../../locales/de/common.json';
import es from '../../locales/es/common.json';
import fr from '../../locales/fr/common.json';
import gb from '../../locales/gb/common.json';
import it from '../../locales/it/common.json';

const TEXTS = { gb, fr, es, de, it };
const RETRY_SECONDS = '10';
const STYLE = `:root{color-scheme:light dark;background:${LIGHT.paper};color:${LIGHT.ink};font:1.125rem/1.5 system-ui,sans-serif}body{max-width:36rem;margin:15vh auto 0;padding:1.5rem}h1{font-size:1.75rem;line-height:1.15}@media(prefers-color-scheme:dark){:root{background:${DARK.paper};color:${DARK.ink}}}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page shown while the website is down: in the visitor's language, without any resources to load. */
export function unavailablePage({ headers }: IncomingMessage, appName: string) {
  const locale = preferredLocale(headers.cookie ?? '', headers['accept-language']);
  const { title, text } = TEXTS[locale].errors['503'];
  const page = html`<!DOCTYPE html>
<html lang="${LOCALES[locale].html}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${appName}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
  return {
    status: 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
      'Cache-Control': 'no-store',
      'Retry-After': RETRY_SECONDS,
    },
    body: String(page),
  };
}

const UNREADABLE_HEAD =
  'The address or a header has a character that it cannot have, or Content-Length is not the length of the body.';

/** What a program gets while the host is down, or for a request that is not forwarded. */
export function callRefusal(
  code: 'malformed' | 'too_large' | 'unavailable',
  { publicUrl, requestId, isOauth }: { publicUrl: string; requestId: string; isOauth: boolean },
) {
  const problem = problemOf(code, { publicUrl, requestId });
  if (code === 'malformed') problem.detail = UNREADABLE_HEAD;
  const headers = {
    'Content-Type': isOauth ? 'application/json' : PROBLEM_TYPE,
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    // It says nothing of an account, so any web page may read it, as the host cannot say which page a key names.
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    ...(code === 'unavailable' && { 'Retry-After': RETRY_SECONDS }),
  };
  return {
    status: problem.status,
    headers,
    body: JSON.stringify(isOauth ? oauthErrorOf(code, problem.detail) : problem),
  };
}
