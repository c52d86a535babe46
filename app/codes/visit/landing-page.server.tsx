import type { Landing } from '#contract/contents/landings';
import type { Locale } from '#contract/locales';
import { ContentLanding, isContent } from '~/codes/contents/content-landings.server';
import { barePage } from '~/http/bare-page.server';
import { env } from '~/http/env.server';
import { i18nOf } from '~/i18n/messages.server';
import type { LandingProps } from './landing-parts.server';

type Refused = { kind: 'private' | 'unknown' | 'deleted' | 'blocked' | 'circular' | 'unavailable' };
export type LandingState = Landing | Refused;

/** Shows the copy buttons, which need a script; without it visitors select the text themselves. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('copied').textContent=b.dataset.copied;navigator.sendBeacon?.(b.dataset.countUrl)}}`;

/**
 * The page shown to people who scan a code, kept as light as possible. `code` is the code as written in the
 * URL; `path` is the current path, for visitors who have to log in first.
 */
export function landingResponse(state: LandingState, code: string, locale: Locale, path = '/'): Response {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  return barePage({
    status: isContent(state) ? 200 : state.kind === 'unavailable' ? 503 : 404,
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

interface BodyProps {
  state: LandingState;
  engagementUrl: string;
  path: string;
  t: LandingProps['t'];
}

function LandingBody({ state, engagementUrl, path, t }: BodyProps) {
  if (isContent(state)) return <ContentLanding landing={state} engagementUrl={engagementUrl} t={t} />;
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
