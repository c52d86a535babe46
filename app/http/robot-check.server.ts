import { issueFormToken } from '#contract/form-tokens';
import { env } from './env.server';
import { callHost, isUnavailable } from './host.server';
import { type Asker, scopeOf } from './scope.server';

/**
 * What a form needs to show that no robot is at work: a captcha for whoever has scripts, and a token that stands in for
 * it where none run or none load. Null where no captcha is set up.
 */
export async function getRobotCheck(asker: Asker) {
  if (!env.CAPTCHA_SITE_KEY) return null;
  const scope = scopeOf(asker);
  const formToken = postedToken(asker) ?? (await findFormToken(asker));
  scope.once = [...(scope.once ?? []), ...(formToken ? [formToken] : [])];
  return { siteKey: env.CAPTCHA_SITE_KEY, formToken };
}

/** A form that was refused keeps its token: another one would be too young again. */
function postedToken(asker: Asker): string | undefined {
  return scopeOf(asker).posted?.find(([name]) => name === 'formToken')?.[1] || undefined;
}

/** Empty when the host cannot be asked: the page is there all the same. */
async function findFormToken(asker: Asker): Promise<string> {
  try {
    return (await callHost(asker, issueFormToken, {})).data.token;
  } catch (thrown) {
    if (isUnavailable(thrown)) return '';
    throw thrown;
  }
}
