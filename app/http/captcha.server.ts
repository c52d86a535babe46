import { issueFormToken } from '#contract/form-tokens';
import { env } from './env.server';
import { callHost, isUnavailable } from './host.server';
import { type RequestContext, scopeOf } from './scope.server';

/**
 * What a form needs to keep bots out: the site key of the captcha, and a token that replaces it if no script
 * runs or loads. Null if no captcha is configured.
 */
export async function getCaptcha(requestContext: RequestContext) {
  if (!env.CAPTCHA_SITE_KEY) return null;
  const scope = scopeOf(requestContext);
  const formToken = submittedToken(requestContext) ?? (await findFormToken(requestContext));
  scope.once = [...(scope.once ?? []), ...(formToken ? [formToken] : [])];
  return { siteKey: env.CAPTCHA_SITE_KEY, formToken };
}

/** A refused form keeps its token: a new one would be too young again. */
function submittedToken(requestContext: RequestContext): string | undefined {
  return scopeOf(requestContext).submitted?.find(([name]) => name === 'formToken')?.[1] || undefined;
}

/** Empty if the host is unavailable: the page is shown all the same. */
async function findFormToken(requestContext: RequestContext): Promise<string> {
  try {
    return (await callHost(requestContext, issueFormToken, {})).data.token;
  } catch (thrown) {
    if (isUnavailable(thrown)) return '';
    throw thrown;
  }
}
