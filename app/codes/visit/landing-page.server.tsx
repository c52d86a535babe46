import type { Landing } from '#contract/contents/landings';
import type { Locale } from '#contract/locales';
import type { CodeOwner } from '#contract/visits';
import { ContentLanding, isContent } from '~/codes/contents/content-landings.server';
import { barePage } from '~/http/bare-page.server';
import { env } from '~/http/env.server';
import { i18nOf } from '~/i18n/messages.server';
import type { LandingProps } from './landing-parts.server';

type Refused = { kind: 'private' | 'unknown' | 'deleted' | 'blocked' | 'circular' | 'unavailable' };
export type LandingState = Landing | Refused;

/** Shows the copy buttons, which need a script; without it visitors select the text themselves. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('copied').textContent=b.dataset.copied;navigator.sendBeacon?.(b.dataset.countUrl)}}`;

interface Options {
  /** The current path, for visitors who have to sign in first. */
  path?: string;
  owner?: CodeOwner | null;
}

/**
 * The page shown to people who scan a code, kept as light as possible. With content it is its owner's: it carries their
 * name, logo and colour. `code` is the code as written in the URL.
 */
export function landingResponse(
  state: LandingState,
  code: string,
  locale: Locale,
  { path = '/', owner = null }: Options = {},
): Response {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  const hasContent = isContent(state);
  const engagementUrl = `/e/${encodeURIComponent(code)}`;
  return barePage({
    status: hasContent ? 200 : state.kind === 'unavailable' ? 503 : 404,
    locale,
    title: t(`${state.kind}.title`),
    ...(hasContent && { site: owner?.name ?? '', colour: owner?.colour ?? null }),
    head: owner && <OwnerHead owner={owner} logoUrl={`${engagementUrl}/logo`} />,
    children: <LandingBody state={state} engagementUrl={engagementUrl} path={path} t={t} />,
    foot: hasContent ? (
      <a href={`${env.PUBLIC_URL}/contact?lng=${locale}`}>{t('report')}</a>
    ) : (
      <a href={`${env.PUBLIC_URL}/?lng=${locale}`}>{t('made', { appName: env.APP_NAME })}</a>
    ),
    script: SCRIPT,
    ...(state.kind === 'unavailable' && { headers: { 'Retry-After': '30' } }),
  });
}

function OwnerHead({ owner: { name, hasLogo }, logoUrl }: { owner: CodeOwner; logoUrl: string }) {
  if (!name && !hasLogo) return null;
  return (
    <header>
      {hasLogo && <img src={logoUrl} alt="" />}
      {name && <p dir="auto">{name}</p>}
    </header>
  );
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
