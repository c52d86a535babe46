import type { Logger } from 'pino';
import { recordActivity } from '#host/accounts/activities';
import { audit } from '#host/accounts/audit';
import { type AccountRow, lockAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { type Identity, linkIdentity } from './identities';
import { rememberDevice } from './known-devices';
import { openSession } from './open-session';
import { hasSecondFactor } from './second-factor';
import { type Challenge, passwordDigest, signChallenge } from './signed-tickets';

type Account = Pick<AccountRow, 'id' | 'email' | 'locale' | 'roles' | 'passwordHash'>;

interface SignIn extends Pick<Challenge, 'remember' | 'link'> {
  method: Challenge['method'] | 'passkey';
  userAgent: string;
  /** Device tokens in the browser from earlier sign-ins. */
  devices: string[];
  clientIp: string;
  log: Logger;
}

/** The audit event of each sign-in method; setting up an account has its own. */
const AUDIT_RECORDS = {
  password: { activity: 'auth_login', event: 'login' },
  google: { activity: 'google_auth_login', event: 'google_login' },
  onboarding: null,
  passkey: { activity: 'auth_login', event: 'passkey_login' },
} as const;

/** After the first factor: like `completeSignIn`, or requires the second factor if the account has one. */
export async function passFirstFactor(
  deps: Deps,
  account: Account,
  signIn: SignIn & Pick<Challenge, 'method'>,
): Promise<{ token: string; device: string; challenge?: string } | null> {
  const { db, clock, settings } = deps;
  if (!(await hasSecondFactor(db.orm, account.id))) return completeSignIn(deps, account, signIn);
  const { method, remember, link, log, clientIp } = signIn;
  audit(log, 'first_factor_accepted', { account: account.id, clientIp, reason: method });
  const password = passwordDigest(account.passwordHash);
  const challenge = { accountId: account.id, method, remember, password, ...(link && { link }) };
  return {
    token: '',
    device: '',
    challenge: await signChallenge(challenge, settings.jwtSecrets, clock.now()),
  };
}

/**
 * After the last factor: opens a session, and makes the device known. Null if the account was erased in the meantime,
 * or what its owner has proven is no longer valid.
 */
export async function completeSignIn(
  deps: Deps,
  account: Account,
  signIn: SignIn,
): Promise<{ token: string; device: string } | null> {
  const { method, remember, link, userAgent, devices, log, clientIp } = signIn;
  const record = AUDIT_RECORDS[method];
  const signedIn = await deps.db.orm.transaction(async (transaction) => {
    const now = deps.clock.now();
    const owner = await lockAccount(transaction, account.id);
    if (!owner || !isStillProven(owner, account, signIn)) return null;
    const isLinked = link !== undefined && (await linkGoogle(transaction, deps, owner, link));
    const browser = { accountId: owner.id, tokens: devices };
    const device = await rememberDevice(transaction, deps.random, browser, now);
    const sessionOptions = { remember, userAgent, deviceId: device.id };
    const token = await openSession(deps, owner, sessionOptions, transaction);
    if (record) await recordActivity(transaction, owner.id, record.activity, now);
    return { token, device: device.token, isLinked };
  });
  if (!signedIn) return null;
  const { isLinked, ...tokens } = signedIn;
  if (isLinked) audit(log, 'google_linked', { account: account.id, clientIp });
  if (record) audit(log, record.event, { account: account.id, clientIp });
  return tokens;
}

/** A password must still be the account's, and a new identity must still have the account's e-mail address. */
function isStillProven(owner: Account, account: Account, { method, link }: SignIn): boolean {
  if (method === 'password' || method === 'onboarding') return owner.passwordHash === account.passwordHash;
  return link === undefined || link.email.toLowerCase() === owner.email.toLowerCase();
}

/** Links an identity to the account and notifies its owner; false if it was already linked. */
async function linkGoogle(
  orm: Orm,
  { clock, settings }: Pick<Deps, 'clock' | 'settings'>,
  { id, email: to, locale }: Account,
  identity: Identity,
): Promise<boolean> {
  const now = clock.now();
  if (!(await linkIdentity(orm, id, identity, now))) return false;
  const values = { google: identity.email, actionUrl: `${settings.publicUrl}/user/settings` };
  await queueMail(orm, { to, locale, template: 'account-mail.google_linked', values }, now);
  return true;
}
