import { data } from '@remix-run/node';
import { checkMailToken } from '#contract/recovery';
import { getCaptcha } from '~/http/captcha.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { readLinkToken } from '~/http/link-page.server';
import type { Scope } from '~/http/scope.server';

/** State of a mailed link. */
export type LinkState = 'live' | 'missing' | 'unknown' | 'used' | 'expired';

const STATUS: Record<LinkState, number> = {
  live: 200,
  missing: 200,
  unknown: 404,
  used: 410,
  expired: 410,
};

/** Whether the link of this page still works, and whose it is. Checking does not use up the link. */
export async function readMailLink(scope: Scope, purpose: 'onboarding' | 'reset' | 'email_change') {
  const [link, captcha] = await Promise.all([findLink(scope, purpose), getCaptcha(scope)]);
  return data({ ...link, captcha }, { status: STATUS[link.state] });
}

/** Like `readMailLink`, for onboarding, whose page also confirms that another link was `sent`. */
export async function readOnboardingLink(scope: Scope) {
  const { searchParams } = scope.url;
  const isSent = searchParams.has('sent') && !readLinkToken(scope);
  return isSent
    ? data({ state: 'sent' as const, ...NOBODY, captcha: null })
    : readMailLink(scope, 'onboarding');
}

/** Whose a link is while that is unknown. */
const NOBODY = { email: '', firstName: '', lastName: '' };

async function findLink(
  scope: Scope,
  purpose: 'onboarding' | 'reset' | 'email_change',
): Promise<{ state: LinkState } & typeof NOBODY> {
  const token = readLinkToken(scope);
  if (!token) return { state: 'missing', ...NOBODY };
  try {
    const response = await callHost(scope, checkMailToken, { body: { token, purpose } });
    return { state: 'live', ...response.data };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    const { failed, submitted = [] } = scope;
    if (thrown.status === 429 && failed) return { state: stateAfterPost(submitted), ...NOBODY };
    const code = thrown.errors.token?.[0];
    if (!code) throw data(null, { status: thrown.status });
    const state = code === 'token_used' ? 'used' : code === 'token_expired' ? 'expired' : 'unknown';
    return { state, ...NOBODY };
  }
}

/** After a rate-limited post the page shows the same form again, without checking the link. */
function stateAfterPost(submitted: [name: string, value: string][]): LinkState {
  return submitted.some(([name, value]) => name === 'intent' && value === 'resend') ? 'unknown' : 'live';
}
