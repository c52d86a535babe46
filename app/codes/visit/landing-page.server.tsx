import type { Landing } from '#contract/contents/landings';
import { LOCALES, type Locale } from '#contract/locales';
import type { ClosedPage, CodeOwner } from '#contract/visits';
import { UNCOUNTED_HEADERS } from '#runtime/uncounted';
import { ContentLanding, headingOf, isContent } from '~/codes/contents/content-landings.server';
import { barePage } from '~/http/bare-page.server';
import { env } from '~/http/env.server';
import { i18nOf } from '~/i18n/messages.server';
import type { LandingProps } from './landing-parts.server';

type Refused = { kind: 'private' | 'unknown' | 'deleted' | 'blocked' | 'circular' | 'unavailable' };
export type LandingState = Landing | ClosedPage | Refused;

/** Reports that something was copied. */
const REPORT = 'navigator.sendBeacon?.(b.dataset.countUrl)';
/** Shows the copy buttons, which need a script; without it visitors select the text themselves. */
const SCRIPT = `for(const b of document.querySelectorAll('[data-copy]'))if(navigator.clipboard){b.hidden=false;b.onclick=async()=>{await navigator.clipboard.writeText(b.dataset.copy);document.getElementById('copied').textContent=b.dataset.copied;${REPORT}}}`;

interface Options {
  /** The current path, for visitors who have to sign in first. */
  path?: string;
  owner?: CodeOwner | null;
  /** False if the visit leaves no trace, which the page then says. */
  isCounted?: boolean;
}

/** Nothing of ours has failed where a code is paused, and an ended one is gone. */
const STATUSES: Partial<Record<LandingState['kind'], number>> = { paused: 200, ended: 410, unavailable: 503 };

/**
 * The page shown to people who scan a code, kept as light as possible. With content, or a message in its place, it is its
 * owner's: it carries their name, logo and colour. `code` is the code as written in the URL.
 */
export function landingResponse(
  state: LandingState,
  code: string,
  locale: Locale,
  { path = '/', owner = null, isCounted = true }: Options = {},
): Response {
  const t = i18nOf(locale).getFixedT(null, 'landing');
  const kind = t(`${state.kind}.title`);
  const { subject = null, isTitleSmall = false } = isContent(state) ? headingOf(state) : {};
  const isOwners = isContent(state) || isClosed(state);
  const engagementUrl = `/e/${encodeURIComponent(code)}`;
  return barePage({
    status: STATUSES[state.kind] ?? (isOwners ? 200 : 404),
    locale,
    title: subject || kind,
    kind: subject && kind,
    isTitleSmall,
    ...(isOwners && { site: owner?.name ?? '', colour: owner?.colour ?? null }),
    head: owner && <OwnerHead owner={owner} logoUrl={`${engagementUrl}/logo`} />,
    children: (
      <>
        <LandingBody
          state={state}
          engagementUrl={engagementUrl}
          path={path}
          t={t}
          tag={LOCALES[locale].tag}
        />
        {!isCounted && <p className="uncounted">{t('uncounted')}</p>}
      </>
    ),
    foot: isOwners ? (
      <a href={`${env.PUBLIC_URL}/contact?lng=${locale}`}>{t('report')}</a>
    ) : (
      <a href={`${env.PUBLIC_URL}/?lng=${locale}`}>{t('made', { appName: env.APP_NAME })}</a>
    ),
    script: isCounted ? SCRIPT : SCRIPT.replace(REPORT, ''),
    headers: {
      ...(state.kind === 'unavailable' && { 'Retry-After': '30' }),
      ...(!isCounted && UNCOUNTED_HEADERS),
    },
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

function isClosed(state: LandingState): state is ClosedPage {
  return state.kind === 'paused' || state.kind === 'ended';
}

interface BodyProps {
  state: LandingState;
  engagementUrl: string;
  path: string;
  t: LandingProps['t'];
  tag: string;
}

function LandingBody({ state, engagementUrl, path, t, tag }: BodyProps) {
  if (isClosed(state) && state.message) {
    return (
      <p className="text" dir="auto">
        {state.message}
      </p>
    );
  }
  if (isContent(state))
    return <ContentLanding landing={state} engagementUrl={engagementUrl} t={t} tag={tag} />;
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
