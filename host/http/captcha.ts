import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { CaptchaVerifier, Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { consumeRateLimit, hourly, type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { fetchWhole } from '#runtime/fetch-whole';
import { isSameText } from '#runtime/same-text';

const TIMEOUT_MS = 5_000;
const MIN_SCORE = 0.5;

const FORM_TOKEN_LIFE_MS = 6 * 60 * 60 * 1000;
/** More than once, because a refused form is sent again with the same token. */
const TOKEN_USES: RateLimit = { name: 'form-token', points: 5, windowSeconds: FORM_TOKEN_LIFE_MS / 1000 };

/**
 * Limits of forms without a captcha token, per hour: per IP address, per person, and in total. Each is below the limit
 * of the same form with a captcha, so that a robot gains nothing by leaving it out; and they are separate, so that
 * such robots do not affect users with scripts.
 */
const WITHOUT_CAPTCHA = {
  // No limit per account, which strangers could use up; see `host/sign-in/guessing.ts`.
  login: { clientIp: 10, everyone: 300 },
  forgot_password: { clientIp: 5, person: 2, everyone: 100 },
  resend_onboarding: { clientIp: 5, person: 2, everyone: 100 },
  resend_email_change: { clientIp: 5, person: 3, everyone: 100 },
  reset_password: { clientIp: 10, person: 5, everyone: 100 },
  contact: { clientIp: 2, person: 2, everyone: 60 },
  subscribe: { clientIp: 5, person: 3, everyone: 60 },
} as const;

/** Response of a verification (developers.google.com/recaptcha/docs/v3, "Site Verify Response"). */
const Verdict = z.object({
  success: z.boolean(),
  score: z.number().optional(),
  action: z.string().optional(),
});

/** Verifies a token at `url`; true if it was made for this action and the score is at least 0.5. */
export function createCaptchaVerifier(secret: string, url: string): CaptchaVerifier {
  return async ({ token, action, clientIp }) => {
    const response = await fetchWhole(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: clientIp }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`captcha verification answered ${response.status}`);
    const verdict = Verdict.parse(await response.json());
    return verdict.success && verdict.action === action && (verdict.score ?? 0) >= MIN_SCORE;
  };
}

/** What a form sends as proof against robots. */
export interface Proof {
  captcha?: string | undefined;
  formToken?: string | undefined;
}

interface Attempt {
  proof: Proof;
  action: keyof typeof WITHOUT_CAPTCHA;
  clientIp: string;
  /** The person concerned: an account's id or the key of an e-mail address. */
  person: string;
}

/**
 * If a captcha is configured, refuses `{ captcha: ['captcha_failed'] }` unless its token is valid, and also if it
 * cannot be verified, which is logged. Without such a token a form token is accepted, within tighter limits: throws
 * `form_too_fast` or `form_expired` on `formToken`, and `rate_limited`.
 */
export async function requireCaptcha(
  deps: Pick<Deps, 'captcha' | 'log' | 'db' | 'clock' | 'settings'>,
  { proof, action, clientIp, person }: Attempt,
): Promise<void> {
  const { captcha, log } = deps;
  if (!captcha) return;
  if (!proof.captcha && proof.formToken) {
    return requireFormToken(deps, proof.formToken, { action, clientIp, person });
  }
  const passed =
    Boolean(proof.captcha) &&
    (await captcha({ token: proof.captcha ?? '', action, clientIp }).catch((error: unknown) => {
      log.error({ err: error }, 'captcha could not be verified');
      return false;
    }));
  if (!passed) throw invalidField('captcha', 'captcha_failed');
}

async function requireFormToken(
  deps: Pick<Deps, 'db' | 'clock' | 'settings'>,
  token: string,
  { action, clientIp, person }: Omit<Attempt, 'proof'>,
): Promise<void> {
  const read = readFormToken(token, deps);
  if ('refused' in read) throw invalidField('formToken', read.refused);
  const { orm } = deps.db;
  const now = deps.clock.now();
  if (!(await tryConsumeRateLimit(orm, TOKEN_USES, read.id, now)))
    throw invalidField('formToken', 'form_expired');
  const limits = WITHOUT_CAPTCHA[action];
  const keys = { clientIp, person, everyone: 'all' };
  for (const [whose, points] of Object.entries(limits) as [keyof typeof keys, number][]) {
    const limit = hourly(`${action}-without-captcha-${whose}`, points);
    await consumeRateLimit(orm, limit, keys[whose], now);
  }
}

/** Nobody completes and sends a form faster, even if the browser fills it in. */
const MIN_AGE_MS = 3_000;

type Outside = Pick<Deps, 'clock' | 'random'> & { settings: Pick<Deps['settings'], 'jwtSecrets'> };

/** `issued.id.signature`: when the token was issued, in milliseconds, and a random id. */
export function makeFormToken({ clock, random, settings }: Outside): string {
  const id = Buffer.from(random(12)).toString('base64url');
  const content = `${clock.now().getTime()}.${id}`;
  return `${content}.${signatureOf(content, settings.jwtSecrets[0] ?? '')}`;
}

/** The id of a token signed with any of the secrets, or the message code of what is wrong with it. */
function readFormToken(
  token: string,
  { clock, settings }: Omit<Outside, 'random'>,
): { id: string } | { refused: 'form_too_fast' | 'form_expired' } {
  const [issued = '', id = '', signature = '', ...rest] = token.split('.');
  const isOurs =
    rest.length === 0 &&
    settings.jwtSecrets.some((secret) => isSameText(signature, signatureOf(`${issued}.${id}`, secret)));
  const age = clock.now().getTime() - Number(issued);
  if (!isOurs || !(age <= FORM_TOKEN_LIFE_MS)) return { refused: 'form_expired' };
  return age < MIN_AGE_MS ? { refused: 'form_too_fast' } : { id };
}

// The same secrets sign sessions; the prefix prevents that one is accepted as the other.
function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`form-token:${content}`).digest('base64url');
}
