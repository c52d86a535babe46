import { issueFormToken } from '#contract/form-tokens';
import { env } from './env.server';
import { callHost, isUnavailable } from './host.server';
import type { Scope } from './scope.server';

/**
 * What a form needs to keep bots out: the site key of the captcha, and a token that replaces it if no script
 * runs or loads. Null if no captcha is configured.
 */
export async function getCaptcha(scope: Scope) {
  if (!env.CAPTCHA_SITE_KEY) return null;
  const formToken = submittedToken(scope) ?? (await findFormToken(scope));
  if (formToken) scope.once = [...(scope.once ?? []), { value: formToken }];
  return { siteKey: env.CAPTCHA_SITE_KEY, formToken };
}

/** A refused form keeps its token: a new one would be too young again. */
function submittedToken(scope: Scope): string | undefined {
  return scope.submitted?.find(([name]) => name === 'formToken')?.[1] || undefined;
}

/** Empty if the host is unavailable: the page is shown all the same. */
async function findFormToken(scope: Scope): Promise<string> {
  try {
    return (await callHost(scope, issueFormToken)).data.token;
  } catch (thrown) {
    if (isUnavailable(thrown)) return '';
    throw thrown;
  }
}
