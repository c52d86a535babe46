import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts, activities, identities } from '#host/db/accounts.tables';
import { setUpAuthenticator } from '../../support/authenticator';
import type { TestAccount, TestHost } from '../../support/host';
import { send, signInOf, subjectsTo } from '../../support/json-calls';
import {
  createGoogleHost,
  type GoogleStandIn,
  googleCalls,
  ISSUER,
  openGoogleStandIn,
} from './google-stand-in';

let google: GoogleStandIn;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  google = await openGoogleStandIn();
  host = await createGoogleHost({ fetch: google.fetch });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

const { idToken, signIn, bought } = googleCalls(() => ({ google, host, account }));

const profileOf = async (token = '') =>
  (await send(host, 'GET', '/api/account/profile', undefined, { token })).body.data as { email: string };

async function identitiesOf(token = account.token) {
  return (await signInOf(host, token)).googleAccounts;
}

test('a verified address is linked to its account once, and the owner is notified', async () => {
  const answered = await signIn(await idToken());
  expect(answered.status).toBe(200);
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: answered.body.token });
  expect(profile.body.data).toMatchObject({ email: account.email });
  expect((await signIn(await idToken())).status).toBe(200);
  const linked = await host.db.orm.select().from(identities).where(eq(identities.accountId, account.id));
  expect(linked).toMatchObject([{ issuer: ISSUER, subject: `google-${account.id}` }]);
  expect(await subjectsTo(host, account.email)).toEqual(['Your account can now be opened with Google']);
  const done = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
  expect(done.map(({ type }) => type)).toEqual(['google_auth_login', 'google_auth_login']);
});

test('the identity stays with its account when the address at Google changes', async () => {
  await signIn(await idToken());
  const other = await host.account();
  const answered = await signIn(await idToken({ email: other.email }));
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: answered.body.token });
  expect(profile.body.data).toMatchObject({ email: account.email });
});

test('an address without an account gets another error than a bad token', async () => {
  const answered = await signIn(await idToken({ sub: 'new-here', email: 'stranger@gmail.example' }));
  expect([answered.status, answered.body.errors]).toEqual([422, { idToken: ['google_unknown_account'] }]);
});

test('an identity whose mailbox Google does not run is linked after the password is given', async () => {
  const refused = await signIn(await idToken({ hd: undefined }));
  const { token, link = '' } = refused.body as { token?: string; link?: string };
  expect([refused.status, token]).toEqual([200, '']);
  expect(await identitiesOf()).toEqual([]);
  const { email, password } = account;
  const wrong = await send(host, 'POST', '/api/login_check', { email, password: 'not the password', link });
  expect(wrong.status).toBe(401);
  expect(await identitiesOf()).toEqual([]);
  const right = await send(host, 'POST', '/api/login_check', { email, password, link });
  expect(right.body.token).not.toBe('');
  expect(await identitiesOf()).toMatchObject([{ email }]);
  expect(await subjectsTo(host, email)).toEqual(['Your account can now be opened with Google']);
  const again = await signIn(await idToken({ hd: undefined }));
  expect(await profileOf(again.body.token)).toMatchObject({ email });
});

test.each(['ada@gmail.com', 'ada@GoogleMail.com'])('%s is a mailbox that Google runs', async (email) => {
  await host.db.orm
    .update(accounts)
    .set({ email: `${account.id}-${email}` })
    .where(eq(accounts.id, account.id));
  const answered = await signIn(await idToken({ hd: undefined, email: `${account.id}-${email}` }));
  expect(answered.body.token).not.toBe('');
});

test.each(['ada@gmail.com.example', 'ada@notgmail.com', 'gmail.com@test.example'])(
  '%s is no mailbox that Google runs',
  async (address) => {
    const email = `${account.id}-${address}`;
    await host.db.orm.update(accounts).set({ email }).where(eq(accounts.id, account.id));
    expect((await signIn(await idToken({ hd: undefined, email }))).body.token).toBe('');
  },
);

test('an identity is linked neither by the password of another account nor by an old or forged link', async () => {
  const other = await host.account();
  const linkOf = async () =>
    ((await signIn(await idToken({ hd: undefined }))).body as { link?: string }).link ?? '';
  const logIn = ({ email, password }: TestAccount, link: string) =>
    send(host, 'POST', '/api/login_check', { email, password, link });
  const link = await linkOf();
  expect((await logIn(other, link)).status).toBe(200);
  expect((await logIn(account, `${link.slice(0, -4)}AAAA`)).status).toBe(200);
  host.clock.advance(10 * 60_000 + 1000);
  expect((await logIn(account, link)).status).toBe(200);
  for (const { token } of [account, other]) expect(await identitiesOf(token)).toEqual([]);
});

test('an account that is not set up is not opened by an address whose mailbox Google does not run', async () => {
  const buyer = await bought();
  const refused = await signIn(await buyer.token({ hd: undefined }));
  expect(refused.body.errors).toEqual({ idToken: ['google_set_up_first'] });
});

test('a sign-in with Google needs the second factor too, and links nothing before it', async () => {
  const { recoveryCodes } = await setUpAuthenticator(host, account);
  const answered = await signIn(await idToken());
  expect(answered.body.token).toBe('');
  expect(await identitiesOf()).toEqual([]);
  const { challenge = '' } = answered.body as { challenge?: string };
  const body = { challenge, code: recoveryCodes[0] };
  const entered = await send(host, 'POST', '/api/login_check/code', body);
  expect(await profileOf(entered.body.token)).toMatchObject({ email: account.email });
  expect(await identitiesOf()).toMatchObject([{ email: account.email }]);
});

test('a linked identity is removed with the password, and its owner is notified', async () => {
  await signIn(await idToken());
  const [identity] = await identitiesOf();
  const path = `/api/account/identities/${identity?.id}`;
  const remove = (currentPassword: string) =>
    send(host, 'DELETE', path, { currentPassword }, { token: account.token });
  expect((await remove('not the password')).body.errors).toEqual({ currentPassword: ['password_wrong'] });
  expect((await remove(account.password)).body).toMatchObject({ message: 'google_unlinked' });
  expect(await identitiesOf()).toEqual([]);
  expect((await remove(account.password)).status).toBe(404);
  expect((await subjectsTo(host, account.email))[0]).toBe('A Google account was removed from your account');
});

test('the only sign-in method of an account cannot be removed', async () => {
  const buyer = await bought();
  const { token = '' } = (await signIn(await buyer.token())).body;
  const [identity] = await identitiesOf(token);
  const refused = await send(host, 'DELETE', `/api/account/identities/${identity?.id}`, {}, { token });
  expect(refused.status).toBe(409);
  expect(await identitiesOf(token)).toHaveLength(1);
});

test('an erased account cannot be opened with its old identity', async () => {
  await signIn(await idToken());
  await send(host, 'DELETE', '/api/account', { password: account.password }, account);
  expect((await signIn(await idToken())).body.errors).toEqual({ idToken: ['google_unknown_account'] });
});
