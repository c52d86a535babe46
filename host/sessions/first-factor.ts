import type { Logger } from 'pino';
import type { AccountRow } from '#host/accounts/accounts.store';
import { recordActivity } from '#host/accounts/activities';
import { audit } from '#host/accounts/audit';
import { hasSecondFactor } from '#host/factors/second-factor.store';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { type Identity, linkIdentity } from './identities.store';
import { rememberDevice } from './known-devices.store';
import { openSession } from './open-session';
import { type Challenge, passwordDigest, signChallenge } from './signed-tickets';

type Account = Pick<AccountRow, 'id' | 'email' | 'locale' | 'roles' | 'passwordHash'>;

interface Entry extends Pick<Challenge, 'remember' | 'link'> {
  method: Challenge['method'] | 'passkey';
  userAgent: string;
  /** Tokens that the browser kept of earlier sign-ins. */
  devices: string[];
  clientIp: string;
  log: Logger;
}

/** What is on record of each way in; setting up an account is so by itself. */
const RECORDS = {
  password: { activity: 'auth_login', event: 'login' },
  google: { activity: 'google_auth_login', event: 'google_login' },
  onboarding: null,
  passkey: { activity: 'auth_login', event: 'passkey_login' },
} as const;

/** After the first factor: opens a session, or asks for the second factor where the account has one. */
export async function passFirstFactor(
  deps: Deps,
  account: Account,
  entry: Entry & Pick<Challenge, 'method'>,
): Promise<{ token: string; device: string; challenge?: string }> {
  const { db, clock, settings } = deps;
  if (!(await hasSecondFactor(db.orm, account.id))) return completeSignIn(deps, account, entry);
  const { method, remember, link, log, clientIp } = entry;
  audit(log, 'first_factor_accepted', { account: account.id, clientIp, reason: method });
  const password = passwordDigest(account.passwordHash);
  const challenge = { accountId: account.id, method, remember, password, ...(link && { link }) };
  return {
    token: '',
    device: '',
    challenge: await signChallenge(challenge, settings.jwtSecrets, clock.now()),
  };
}

/** After the last factor. */
export async function completeSignIn(
  deps: Deps,
  account: Account,
  entry: Entry,
): Promise<{ token: string; device: string }> {
  const { method, remember, link, userAgent, devices, log, clientIp } = entry;
  if (link && (await linkGoogle(deps, account, link))) {
    audit(log, 'google_linked', { account: account.id, clientIp });
  }
  const signedIn = await signIn(deps, account, { remember, userAgent, devices });
  const record = RECORDS[method];
  if (record) {
    await recordActivity(deps.db.orm, account.id, record.activity, deps.clock.now());
    audit(log, record.event, { account: account.id, clientIp });
  }
  return signedIn;
}

/** Links an identity to the account and tells its owner; false when it was linked before. */
async function linkGoogle(
  { db, clock, settings }: Deps,
  { id, email: to, locale }: Account,
  identity: Identity,
): Promise<boolean> {
  const now = clock.now();
  return db.orm.transaction(async (transaction) => {
    if (!(await linkIdentity(transaction, id, identity, now))) return false;
    const values = { google: identity.email, actionUrl: `${settings.publicUrl}/user/settings` };
    await queueMail(transaction, { to, locale, template: 'account-mail.google_linked', values }, now);
    return true;
  });
}

interface SignIn {
  remember: boolean;
  userAgent: string;
  /** Tokens that the browser kept of earlier sign-ins. */
  devices: string[];
}

/** Opens a session for whoever has proven to be the owner, on a device that is known from now on. */
async function signIn(
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
