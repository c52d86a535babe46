import type { Clock } from '#host/http/deps';
import { totpCode } from '#host/sign-in/totp';
import { send } from './json-calls';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface Authenticator {
  /** In base32, as the page shows it. */
  secret: string;
  recoveryCodes: string[];
}

/** The code that an authenticator app shows at `now`; its clock is off by `skewSteps` steps of 30 seconds. */
export function codeAt(secret: string, now: Date, skewSteps = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return totpCode(Uint8Array.from(bytes), Math.floor(now.getTime() / 30_000) + skewSteps);
}

/** Turns on the second factor of an account, which uses up the code of the current time step. */
export async function setUpAuthenticator(
  host: Parameters<typeof send>[0] & { clock: Pick<Clock, 'now'> },
  { token, password }: { token: string; password: string },
): Promise<Authenticator> {
  const path = '/api/account/second-factor';
  const begun = await send(host, 'POST', path, { currentPassword: password }, { token });
  const { secret } = begun.body.data as { secret: string };
  const code = codeAt(secret, host.clock.now());
  const confirmed = await send(host, 'POST', `${path}/confirmation`, { code }, { token });
  return { secret, ...(confirmed.body.data as { recoveryCodes: string[] }) };
}
