import { issueFormToken } from '#contract/form-tokens';
import { env } from './env.server';
import { callHost, isUnavailable } from './host.server';
import { type RequestContext, scopeOf } from './scope.server';

/**
 * What a form needs to show that no robot is at work: a captcha for whoever has scripts, and a token that stands in for
 * it where none run or none load. Null where no captcha is set up.
 */
export async function getCaptcha(requestContext: RequestContext) {
  if (!env.CAPTCHA_SITE_KEY) return null;
  const scope = scopeOf(requestContext);
  const formToken = submittedToken(requestContext) ?? (await findFormToken(requestContext));
  scope.once = [...(scope.once ?? []), ...(formToken ? [formToken] : [])];
  return { siteKey: env.CAPTCHA_SITE_KEY, formToken };
}

/** A form that was refused keeps its token: another one would be too young again. */
function submittedToken(requestContext: RequestContext): string | undefined {
  return scopeOf(requestContext).submitted?.find(([name]) => name === 'formToken')?.[1] || undefined;
}

/** Empty when the host cannot be asked: the page is there all the same. */
async function findFormToken(requestContext: RequestContext): Promise<string> {
  try {
    return (await callHost(requestContext, issueFormToken, {})).data.token;
  } catch (thrown) {
    if (isUnavailable(thrown)) return '';
    throw thrown;
  }
}
