import { redirect } from '@remix-run/node';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { googleLogIn } from '#contract/sessions';
import { getSignIn, unlinkIdentity } from '#contract/sign-in';
import { removeSignIn } from '~/account/settings/sign-in-removal.server';
import { signedCookie } from '~/http/cookies.server';
import { env } from '~/http/env.server';
import { redirectWithFlash } from '~/http/flash.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { log } from '~/http/log.server';
import { safePath } from '~/http/safe-path';
import type { Scope, UserScope } from '~/http/scope.server';
import { readDevices } from '~/http/session.server';
import type { NoticeKey } from '~/i18n/text-keys';
import { enter } from './entry.server';
import { findFirstPage } from './first-page.server';

const PROVIDER_SECONDS = 5;
/** The host's reasons that have their own message. */
const HOST_REFUSALS = ['google_invalid_token', 'google_unknown_account', 'google_set_up_first'] as const;
const REDIRECT_URI = `${env.PUBLIC_URL}/google-login`;

const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  remember: z.boolean(),
});

const cookie = signedCookie('google', 10 * 60);

/** Keyed by what the sign-in created at the host. */
const NOTICES = {
  none: 'google_login_successful',
  account: 'onboarding_successful',
  code: 'qrcode_created',
} as const;

let provider: Promise<oidc.Configuration> | undefined;

export function isGoogleOffered(): boolean {
  return Boolean(env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET);
}

/** Starts the authorization-code flow, or completes it when the provider has sent the browser back. */
export async function handleGoogle(scope: Scope): Promise<Response> {
  const { searchParams } = scope.url;
  const isCallback = searchParams.has('code') || searchParams.has('error') || searchParams.has('state');
  return isCallback ? orRefuse(() => finish(scope)) : startGoogle(searchParams.get('next'), false);
}

/** Leads to the provider's page. `next` is where to go after it, `remember` whether the session is to last. */
export async function startGoogle(next: FormDataEntryValue | null, remember: boolean): Promise<Response> {
  return orRefuse(() => start(safePath(next, ''), remember));
}

async function orRefuse(act: () => Promise<Response>): Promise<Response> {
  if (!isGoogleOffered()) return refuse('google_login_failed');
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof Response || !(thrown instanceof Error)) throw thrown;
    return refuse(noticeOf(thrown));
  }
}

async function start(next: string, remember: boolean): Promise<Response> {
  const config = await getProvider();
  const verifier = oidc.randomPKCECodeVerifier();
  const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, next, remember };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: flow.state,
    nonce: flow.nonce,
    prompt: 'select_account',
  });
  return redirect(url.href, { status: 303, headers: { 'Set-Cookie': await cookie.serialize(flow) } });
}

/** Ends the flow whatever the outcome: the response clears its cookie. */
async function finish(scope: Scope): Promise<Response> {
  const flow = Flow.safeParse(await cookie.parse(scope.request.headers.get('cookie'))).data;
  if (!flow) return refuse('google_invalid_token');
  const callbackUrl = new URL(REDIRECT_URI);
  callbackUrl.search = scope.url.search;
  const tokens = await oidc.authorizationCodeGrant(await getProvider(), callbackUrl, {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const devices = await readDevices(scope.request);
  const body = { idToken: tokens.id_token ?? '', nonce: flow.nonce, remember: flow.remember, devices };
  const response = await callHost(scope, googleLogIn, { body });
  const { created, link } = response;
  if (link) {
    const back = flow.next ? `/login?next=${encodeURIComponent(flow.next)}` : '/login';
    const notice = { type: 'info', key: 'google_password_needed', persistent: true } as const;
    return redirectWithFlash(back, notice, [await googleLinkCookie(link), await clearedCookie()]);
  }
  const first = created && response.token ? await findFirstPage(scope, response.token) : '/user/dashboard';
  const entry = {
    to: safePath(flow.next, first),
    remember: flow.remember,
    notice: NOTICES[created ?? 'none'],
    isDocument: Boolean(flow.next),
  };
  return (await enter(scope, response, entry, [await clearedCookie()])) ?? refuse('google_invalid_token');
}

function getProvider(): Promise<oidc.Configuration> {
  provider ??= discover().catch((error: unknown) => {
    provider = undefined;
    throw error;
  });
  return provider;
}

async function discover(): Promise<oidc.Configuration> {
  const issuer = new URL(env.GOOGLE_ISSUER);
  // Plain HTTP is only for a provider on this machine.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  return oidc.discovery(issuer, env.GOOGLE_CLIENT_ID ?? '', env.GOOGLE_CLIENT_SECRET, undefined, {
    execute,
    timeout: PROVIDER_SECONDS,
  });
}

function noticeOf(error: Error): NoticeKey {
  if (error instanceof HostError) {
    const [code] = error.errors.idToken ?? [];
    return HOST_REFUSALS.find((known) => known === code) ?? 'google_login_failed';
  }
  log.warn({ reason: error.message }, 'sign-in with Google failed');
  // The library rejected the provider's response; other errors are a refusal by the provider, or no response
  // at all.
  const isInvalidResponse = error instanceof oidc.ClientError && error.code !== 'OAUTH_TIMEOUT';
  return isInvalidResponse ? 'google_invalid_token' : 'google_login_failed';
}

async function refuse(key: NoticeKey): Promise<Response> {
  return redirectWithFlash('/login', { type: 'error', key, persistent: true }, [await clearedCookie()]);
}

async function clearedCookie(): Promise<string> {
  return cookie.serialize('', { maxAge: 0 });
}

/** The host's token for a Google account, which the next password sign-in links; cookie and token expire together. */
const linkCookie = signedCookie('google-link', 10 * 60);

async function googleLinkCookie(link: string): Promise<string> {
  return linkCookie.serialize(link);
}

export async function readGoogleLink(scope: Scope): Promise<string | undefined> {
  return z.string().safeParse(await linkCookie.parse(scope.request.headers.get('cookie'))).data;
}

export async function forgottenGoogleLink(): Promise<string> {
  return linkCookie.serialize('', { maxAge: 0 });
}

/** The Google account that a page is about, null if it is gone, and whether its removal needs a code. */
export async function findGoogleAccount(scope: UserScope, id: string | undefined) {
  const { data: signIn } = await callHost(scope, getSignIn);
  const identity = signIn.googleAccounts.find((one) => one.id === id);
  return identity ? { ...identity, hasSecondFactor: signIn.secondFactorSince !== null } : null;
}

export async function removeGoogleAccount(scope: UserScope, id: string) {
  return removeSignIn(scope, '/user/settings', (body) =>
    callHost(scope, unlinkIdentity, { params: { id }, body }),
  );
}
