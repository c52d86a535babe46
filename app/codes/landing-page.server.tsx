import { randomBytes } from 'node:crypto';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Landing } from '#contract/visits';
import { env } from '~/http/env.server';
import { LOCALES, type Locale } from '~/i18n/locales';
import { i18nOf } from '~/i18n/messages.server';

export type LandingState = Landing | { kind: 'private' | 'unknown' | 'deleted' | 'unavailable' };

const STYLE = `
:root{color-scheme:light dark;--paper:#faf7f0;--sheet:#fffdf8;--ink:#14203c;--soft:#4a5468;--rule:#ddd5c4;--accent:#b32d17;--on:#fff}
@media(prefers-color-scheme:dark){:root{--paper:#0e1529;--sheet:#141d36;--ink:#f3efe4;--soft:#c3cad8;--rule:#2b3655;--accent:#ff8a70;--on:#1b0f0b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;align-content:center;justify-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.125rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:36rem;background:var(--sheet);border:1px solid var(--rule);padding:clamp(1.25rem,5vw,2.5rem)}
h1{margin:0 0 1rem;font-size:1.75rem;line-height:1.15;letter-spacing:-.02em}
.text{white-space:pre-wrap;overflow-wrap:anywhere;font-size:1.25rem;margin:0 0 1.5rem}
dt{color:var(--soft);font-size:.95rem}dd{margin:0 0 1rem;overflow-wrap:anywhere;white-space:pre-wrap}
a.go,button{display:inline-block;font:inherit;font-weight:600;padding:.7rem 1.2rem;border:2px solid var(--accent);background:var(--accent);color:var(--on);text-decoration:none;cursor:pointer}
button{background:none;border-color:var(--ink);color:var(--ink)}button[hidden]{display:none}
p.act{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;margin:0}
ul{list-style:none;margin:0 0 1rem;padding:0;display:grid;gap:.75rem;justify-items:start}a.go{max-width:100%;overflow-wrap:anywhere}
:focus-visible{outline:3px solid #1b5cff;outline-offset:2px}
footer{margin-top:1.25rem;font-size:.95rem;color:var(--soft)}footer a{color:inherit}`;

/** Shown only once it works: without scripts the text is selected by hand. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('said').textContent=b.dataset.said;navigator.sendBeacon?.(b.dataset.tell)}}`;

const PLACE_LENGTH = 24;
const STATUS = { text: 200, email: 200, private: 404, unknown: 404, deleted: 404, unavailable: 503 };

/**
 * The lightest page of all: one request, no framework, no cookie. What people see who scanned a code; `code` is the
 * code as it stands in the address.
 */
export function landingResponse(state: LandingState, code: string, locale: Locale): Response {
  const nonce = randomBytes(16).toString('base64');
  const html = renderToStaticMarkup(
    <LandingDocument state={state} code={code} locale={locale} nonce={nonce} />,
  );
  return new Response(`<!DOCTYPE html>${html}`, {
    status: STATUS[state.kind],
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      // Nothing to other sites; to our own, so that a browser names the origin of what the script posts.
      'Referrer-Policy': 'same-origin',
      'X-Robots-Tag': 'noindex, nofollow',
      Vary: 'Accept-Language',
      ...(state.kind === 'unavailable' && { 'Retry-After': '30' }),
    },
  });
}

interface LandingProps {
  state: LandingState;
  code: string;
  locale: Locale;
  nonce: string;
}

function LandingDocument({ state, code, locale, nonce }: LandingProps) {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  const title = t(`${state.kind}.title`);
  const inner = (html: string) => ({ dangerouslySetInnerHTML: { __html: html } });
  return (
    <html lang={LOCALES[locale].html}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{`${title} – ${env.APP_NAME}`}</title>
        <style nonce={nonce} {...inner(STYLE)} />
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <LandingBody state={state} acts={`/e/${encodeURIComponent(code)}`} t={t} />
        </main>
        <footer>
          <a href={`${env.PUBLIC_URL}/?lng=${locale}`}>{t('made', { appName: env.APP_NAME })}</a>
        </footer>
        <script nonce={nonce} {...inner(SCRIPT)} />
      </body>
    </html>
  );
}

type Translate = (key: string, values?: Record<string, string>) => string;

/** `acts` begins the addresses of what the page offers: native links, counted on the way. */
function LandingBody({ state, acts, t }: { state: LandingState; acts: string; t: Translate }) {
  switch (state.kind) {
    case 'text':
      return (
        <>
          <p className="text">{state.text}</p>
          {state.links.length > 0 && (
            <ul>
              {state.links.map((address, position) => (
                <li key={address}>
                  <a className="go" href={`${acts}/open?n=${position + 1}`} rel="nofollow">
                    {t('text.open', { address: shortOf(address) })}
                  </a>
                </li>
              ))}
            </ul>
          )}
          <p className="act">
            <CopyButton
              text={state.text}
              tell={`${acts}/copy`}
              label={t('text.copy')}
              said={t('text.copied')}
            />
          </p>
        </>
      );
    case 'email':
      return (
        <>
          <dl>
            <dt>{t('email.to')}</dt>
            <dd>{state.address}</dd>
            {state.subject && <Detail name={t('email.subject')} value={state.subject} />}
            {state.body && <Detail name={t('email.body')} value={state.body} />}
          </dl>
          <p className="act">
            <a className="go" href={`${acts}/write`} rel="nofollow">
              {t('email.write')}
            </a>
            <CopyButton
              text={state.address}
              tell={`${acts}/copy`}
              label={t('email.copy')}
              said={t('email.copied')}
            />
          </p>
        </>
      );
    default:
      return (
        <>
          <p>{t(`${state.kind}.text`)}</p>
          {state.kind === 'private' && (
            <p>
              <a href={`${env.PUBLIC_URL}/login`}>{t('private.login')}</a>
            </p>
          )}
        </>
      );
  }
}

/** The site in full and where on it, as far as a button holds it; the text above has the whole address. */
function shortOf(address: string): string {
  const [, host = '', place = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(address) ?? [];
  if (place === '/') return host;
  const letters = Array.from(place);
  return letters.length > PLACE_LENGTH
    ? `${host}${letters.slice(0, PLACE_LENGTH - 1).join('')}…`
    : host + place;
}

function Detail({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

interface CopyProps {
  text: string;
  /** Address that counts a copy. */
  tell: string;
  label: string;
  said: string;
}

function CopyButton({ text, tell, label, said }: CopyProps) {
  return (
    <>
      <button type="button" hidden data-copy={text} data-tell={tell} data-said={said}>
        {label}
      </button>
      <span id="said" role="status" />
    </>
  );
}
