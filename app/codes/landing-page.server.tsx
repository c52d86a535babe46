import type { Landing } from '#contract/visits';
import { barePage } from '~/http/bare-page.server';
import { env } from '~/http/env.server';
import type { Locale } from '~/i18n/locales';
import { i18nOf } from '~/i18n/messages.server';

export type LandingState =
  | Landing
  | { kind: 'private' | 'unknown' | 'deleted' | 'blocked' | 'circular' | 'unavailable' };

/** Shown only once it works: without scripts the text is selected by hand. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('said').textContent=b.dataset.said;navigator.sendBeacon?.(b.dataset.tell)}}`;

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
 * What people see who scanned a code, as light as a page can be. `code` is the code as it stands in the address;
 * `path` is where they are, for those who have to log in first.
 */
export function landingResponse(state: LandingState, code: string, locale: Locale, path = '/'): Response {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  return barePage({
    status: STATUS[state.kind],
    locale,
    title: t(`${state.kind}.title`),
    children: <LandingBody state={state} acts={`/e/${encodeURIComponent(code)}`} path={path} t={t} />,
    foot: <a href={`${env.PUBLIC_URL}/?lng=${locale}`}>{t('made', { appName: env.APP_NAME })}</a>,
    script: SCRIPT,
    ...(state.kind === 'unavailable' && { headers: { 'Retry-After': '30' } }),
  });
}

type Translate = (key: string, values?: Record<string, string>) => string;

interface BodyProps {
  state: LandingState;
  /** Begins the addresses of what the page offers: native links, counted on the way. */
  acts: string;
  path: string;
  t: Translate;
}

function LandingBody({ state, acts, path, t }: BodyProps) {
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
