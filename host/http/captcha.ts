import { z } from 'zod';
import type { CaptchaVerifier, Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';

const ANSWER_MS = 5_000;
const LEAST_SCORE = 0.5;

/** Answer of a verification (developers.google.com/recaptcha/docs/v3, "Site Verify Response"). */
const Verdict = z.object({
  success: z.boolean(),
  score: z.number().optional(),
  action: z.string().optional(),
});

/** Asks `url` about a token; true when it was made for this action and the score is 0.5 or better. */
export function createCaptchaVerifier(secret: string, url: string): CaptchaVerifier {
  return async ({ token, action, address }) => {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: address }),
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    if (!answer.ok) throw new Error(`captcha verification answered ${answer.status}`);
    const verdict = Verdict.parse(await answer.json());
    return verdict.success && verdict.action === action && (verdict.score ?? 0) >= LEAST_SCORE;
  };
}

/**
 * Where a captcha is set up, refuses `{ captcha: ['captcha_failed'] }` unless the token holds; also when nobody could be
 * asked, which is logged.
 */
export async function requireCaptcha(
  { captcha, log }: Pick<Deps, 'captcha' | 'log'>,
  attempt: { token: string | undefined; action: string; address: string },
): Promise<void> {
  if (!captcha) return;
  const { token, ...about } = attempt;
  const passed =
    Boolean(token) &&
    (await captcha({ token: token ?? '', ...about }).catch((error: unknown) => {
      log.error({ err: error }, 'captcha could not be verified');
      return false;
    }));
  if (!passed) throw invalidField('captcha', 'captcha_failed');
}
