import type { Locale } from '#contract/locales';
import type { Landing } from '#contract/visits';
import { barePage } from '~/http/bare-page.server';
import { env } from '~/http/env.server';
import { i18nOf } from '~/i18n/messages.server';

export type LandingState =
  | Landing
  | { kind: 'private' | 'unknown' | 'deleted' | 'blocked' | 'circular' | 'unavailable' };

/** Shows the copy buttons, which need a script; without it visitors select the text themselves. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('copied').textContent=b.dataset.copied;navigator.sendBeacon?.(b.dataset.countUrl)}}`;

const PLACE_LENGTH = 24;
const STATUS = {
  text: 200,
  email: 200,
  private: 404,
  unknown: 404,
  deleted: 404,
  blocked: 404,
  circular: 404,
  unavailable: 503,
};

/**
 * The page shown to people who scan a code, kept as light as possible. `code` is the code as written in the
 * URL; `path` is the current path, for visitors who have to log in first.
 */
export function landingResponse(state: LandingState, code: string, locale: Locale, path = '/'): Response {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  return barePage({
    status: STATUS[state.kind],
    locale,
    title: t(`${state.kind}.title`),
    children: (
      <LandingBody state={state} engagementUrl={`/e/${encodeURIComponent(code)}`} path={path} t={t} />
    ),
    foot: <a href={`${env.PUBLIC_URL}/?lng=${locale}`}>{t('made', { appName: env.APP_NAME })}</a>,
    script: SCRIPT,
    ...(state.kind === 'unavailable' && { headers: { 'Retry-After': '30' } }),
  });
}

type Translate = (key: string, values?: Record<string, string>) => string;

interface BodyProps {
  state: LandingState;
  /** Base URL of the links that count what the visitor does and then redirect. */
  engagementUrl: string;
  path: string;
  t: Translate;
}

function LandingBody({ state, engagementUrl, path, t }: BodyProps) {
  switch (state.kind) {
    case 'text':
      return (
        <>
          <p className="text" dir="auto">
            {state.text}
          </p>
          {state.links.length > 0 && (
            <ul>
              {state.links.map((address, position) => (
                <li key={address}>
                  <a className="go" href={`${engagementUrl}/open?n=${position + 1}`} rel="nofollow">
                    {t('text.open', { address: shortOf(address) })}
                  </a>
                </li>
              ))}
            </ul>
          )}
          <p className="act">
            <CopyButton
              text={state.text}
              countUrl={`${engagementUrl}/copy`}
              label={t('text.copy')}
              copiedText={t('text.copied')}
            />
          </p>
        </>
      );
    case 'email':
      return (
        <>
          <dl>
            <dt>{t('email.to')}</dt>
            <dd dir="auto">{state.address}</dd>
            {state.subject && <Detail name={t('email.subject')} value={state.subject} />}
            {state.body && <Detail name={t('email.body')} value={state.body} />}
          </dl>
          <p className="act">
            <a className="go" href={`${engagementUrl}/write`} rel="nofollow">
              {t('email.write')}
            </a>
            <CopyButton
              text={state.address}
              countUrl={`${engagementUrl}/copy`}
              label={t('email.copy')}
              copiedText={t('email.copied')}
            />
          </p>
        </>
      );
    default:
      return (
        <>
          <p>{t(`${state.kind}.text`, { contactEmail: env.CONTACT_EMAIL })}</p>
          {state.kind === 'private' && (
            <p>
              <a href={`${env.PUBLIC_URL}/login?next=${encodeURIComponent(path)}`}>{t('private.login')}</a>
            </p>
          )}
        </>
      );
  }
}

/** The host and as much of the path as fits on a button; the text above shows the whole URL. */
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
      <dd dir="auto">{value}</dd>
    </>
  );
}

interface CopyProps {
  text: string;
  /** The URL that counts a copy. */
  countUrl: string;
  label: string;
  copiedText: string;
}

function CopyButton({ text, countUrl, label, copiedText }: CopyProps) {
  return (
    <>
      <button type="button" hidden data-copy={text} data-count-url={countUrl} data-copied={copiedText}>
        {label}
      </button>
      <span id="copied" role="status" />
    </>
  );
}
