import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Deps } from '#host/http/deps';

/** Nobody completes and sends a form faster, even if the browser fills it in. */
const MIN_AGE_MS = 3_000;
export const FORM_TOKEN_LIFE_MS = 6 * 60 * 60 * 1000;

type Outside = Pick<Deps, 'clock' | 'random'> & { settings: Pick<Deps['settings'], 'jwtSecrets'> };

/** `issued.id.signature`: when the token was issued, in milliseconds, and a random id. */
export function makeFormToken({ clock, random, settings }: Outside): string {
  const id = Buffer.from(random(12)).toString('base64url');
  const content = `${clock.now().getTime()}.${id}`;
  return `${content}.${signatureOf(content, settings.jwtSecrets[0] ?? '')}`;
}

/** The id of a token signed with any of the secrets, or the message code of what is wrong with it. */
export function readFormToken(
  token: string,
  { clock, settings }: Omit<Outside, 'random'>,
): { id: string } | { refused: 'form_too_fast' | 'form_expired' } {
  const [issued = '', id = '', signature = '', ...rest] = token.split('.');
  const isOurs =
    rest.length === 0 &&
    settings.jwtSecrets.some((secret) => isSame(signature, signatureOf(`${issued}.${id}`, secret)));
  const age = clock.now().getTime() - Number(issued);
  if (!isOurs || !(age <= FORM_TOKEN_LIFE_MS)) return { refused: 'form_expired' };
  return age < MIN_AGE_MS ? { refused: 'form_too_fast' } : { id };
}

// The same secrets sign sessions; the prefix prevents that one is accepted as the other.
function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`form-token:${content}`).digest('base64url');
}

function isSame(a: string, b: string): boolean {
  const [given, expected] = [Buffer.from(a), Buffer.from(b)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
