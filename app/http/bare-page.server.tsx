import { randomBytes } from 'node:crypto';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { DARK, LIGHT } from '#contract/colours';
import { LOCALES, type Locale } from '#contract/locales';
import { env } from './env.server';

const STYLE = `
:root{color-scheme:light dark;--paper:${LIGHT.paper};--sheet:${LIGHT.sheet};--ink:${LIGHT.ink};--rule:${LIGHT.rule};--soft:#4a5468;--accent:#b32d17;--on:#fff}
@media(prefers-color-scheme:dark){:root{--paper:${DARK.paper};--sheet:${DARK.sheet};--ink:${DARK.ink};--rule:${DARK.rule};--accent:${DARK.accent};--on:${DARK.onSeal};--soft:#c3cad8}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;align-content:center;justify-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.125rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:36rem;background:var(--sheet);border:1px solid var(--rule);padding:clamp(1.25rem,5vw,2.5rem)}
main>header{display:flex;align-items:center;gap:.75rem;margin:0 0 1.25rem;font-weight:600}header p{margin:0;overflow-wrap:anywhere}img{width:3rem;height:3rem;object-fit:contain;background:#fff}
h1{margin:0 0 1rem;font-size:clamp(1.375rem,6vw,1.75rem);line-height:1.15;letter-spacing:-.02em;overflow-wrap:anywhere}
.kind{margin:0 0 .25rem;color:var(--soft);font-size:.95rem;font-weight:600;letter-spacing:0}
.role{margin:-.75rem 0 1.25rem;color:var(--soft)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;font-size:1.25rem;margin:0 0 1.5rem}
dt{color:var(--soft);font-size:.95rem}dd{margin:0 0 1rem;overflow-wrap:anywhere;white-space:pre-wrap}
a.go,a.or,button{display:inline-block;font:inherit;font-weight:600;padding:.7rem 1.2rem;border:2px solid var(--accent);background:var(--accent);color:var(--on);text-decoration:none;cursor:pointer}
a.or,button{background:none;border-color:var(--ink);color:var(--ink)}button[hidden]{display:none}
p.act{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;margin:0}p.lead{margin-bottom:1.25rem}#copied:empty{margin:-.375rem}main a:not(.go){color:inherit}
ul{list-style:none;margin:0 0 1rem;padding:0;display:grid;gap:.75rem;justify-items:start}a.go{max-width:100%;overflow-wrap:anywhere}
@media(max-width:30rem){ul{justify-items:stretch}a.go,a.or,button{width:100%;text-align:center}}
.uncounted{margin:1.5rem 0 0;padding-top:1rem;border:solid var(--rule);border-width:1px 0 0;color:var(--soft);font-size:.95rem}
:focus-visible{outline:3px solid #1b5cff;outline-offset:2px}
footer{margin-top:1.25rem;font-size:.95rem;color:var(--soft)}footer a{color:inherit}`;

interface BarePage {
  status: number;
  locale: Locale;
  title: string;
  /** Of what kind the thing is that the title names, in a small line above it. */
  kind?: string | null;
  /** Whether what follows is greater than the title. */
  isTitleSmall?: boolean;
  /** Whose page it is, for the title of the window; the product's name if absent, nobody's if empty. */
  site?: string;
  /** Of the line above the page, as `#rrggbb`. */
  colour?: string | null;
  /** Above the heading, with images of this website. */
  head?: ReactNode;
  children: ReactNode;
  foot: ReactNode;
  /** Inline script of the page, if it has one. */
  script?: string;
  headers?: HeadersInit;
}

/** A page without the framework: one request, sets no cookie, never cached. */
export function barePage({ status, script, headers, ...page }: BarePage): Response {
  const nonce = randomBytes(16).toString('base64');
  const html = renderToStaticMarkup(<BareDocument {...page} script={script} nonce={nonce} />);
  const scriptPolicy = script === undefined ? '' : ` script-src 'nonce-${nonce}'; connect-src 'self';`;
  const imagePolicy = page.head ? " img-src 'self';" : '';
  const all = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}';${imagePolicy}${scriptPolicy} frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    // None for other sites. With `no-referrer` browsers would send `Origin: null` when the script posts.
    'Referrer-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
    Vary: 'Accept-Language',
  });
  for (const [name, value] of new Headers(headers)) all.set(name, value);
  return new Response(`<!DOCTYPE html>${html}`, { status, headers: all });
}

interface DocumentProps extends Omit<BarePage, 'status' | 'headers' | 'script'> {
  script: string | undefined;
  nonce: string;
}

function BareDocument({ locale, title, site = env.APP_NAME, colour, ...page }: DocumentProps) {
  const { head, kind, isTitleSmall, children, foot, script, nonce } = page;
  const inner = (html: string) => ({ dangerouslySetInnerHTML: { __html: html } });
  return (
    <html lang={LOCALES[locale].html}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{site ? `${title} – ${site}` : title}</title>
        <style
          nonce={nonce}
          {...inner(colour ? `${STYLE}main{border-top:.375rem solid ${colour}}` : STYLE)}
        />
      </head>
      <body>
        <main>
          {head}
          {kind && <p className="kind">{kind}</p>}
          <h1 className={isTitleSmall ? 'kind' : undefined} dir={kind ? 'auto' : undefined}>
            {title}
          </h1>
          {children}
        </main>
        <footer>{foot}</footer>
        {script !== undefined && <script nonce={nonce} {...inner(script)} />}
      </body>
    </html>
  );
}
