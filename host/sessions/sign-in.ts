import type { Deps } from '#host/http/deps';
import { rememberDevice } from './known-devices.store';
import { openSession } from './open-session';

interface SignIn {
  remember: boolean;
  userAgent: string;
  /** Tokens that the browser kept of earlier sign-ins. */
  devices: string[];
}

/** Opens a session for whoever has proven to be the owner, on a device that is known from now on. */
export async function signIn(
  deps: Pick<Deps, 'db' | 'clock' | 'random'> & { settings: Pick<Deps['settings'], 'jwtSecrets'> },
  account: { id: string; email: string; roles: string[] },
  { remember, userAgent, devices }: SignIn,
): Promise<{ token: string; device: string }> {
  const { db, clock, random } = deps;
  return db.orm.transaction(async (transaction) => {
    const kept = { accountId: account.id, tokens: devices };
    const device = await rememberDevice(transaction, random, kept, clock.now());
    const opened = { remember, userAgent, deviceId: device.id };
    return { token: await openSession(deps, account, opened, transaction), device: device.token };
  });
}
