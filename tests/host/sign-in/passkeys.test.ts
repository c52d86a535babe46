import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts, identities } from '#host/db/accounts.tables';
import { passkeys } from '#host/db/factors.tables';
import { setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, signInOf, subjectsTo } from '../../support/json-calls';
import { SoftwareAuthenticator } from '../../support/software-authenticator';

const PATH = '/api/account/passkeys';
const SITE = { rpId: 'www.quadrille.example', origin: 'https://www.quadrille.example' };
const REFUSED = [422, { credential: ['passkey_refused'] }];

let host: TestHost;
let account: TestAccount;
let authenticator: SoftwareAuthenticator;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
  authenticator = new SoftwareAuthenticator();
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: unknown, token = account.token) =>
  send(host, method, path, body, { token });
const challengeIn = ({ body }: { body: { data?: unknown } }) =>
  (body.data as { challenge: string }).challenge;

async function begin(token = account.token): Promise<string> {
  return challengeIn(await call('POST', `${PATH}/options`, { currentPassword: account.password }, token));
}

async function add(name = 'My key') {
  const credential = authenticator.create({ ...SITE, challenge: await begin() });
  return call('POST', PATH, { name, credential });
}

const beginLogIn = async () => challengeIn(await send(host, 'POST', '/api/login_passkey/options'));
const logIn = (credential: unknown) => send(host, 'POST', '/api/login_passkey', { credential });
const outcome = ({ status, body }: { status: number; body: { errors?: unknown } }) => [status, body.errors];

test('a passkey is added with the password, signs in on its own, and its owner is notified', async () => {
  const refused = await call('POST', `${PATH}/options`, { currentPassword: 'not the password' });
  expect(refused.body.errors).toEqual({ currentPassword: ['password_wrong'] });
  const added = await add();
  expect([added.status, added.body.data]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'My key',
      createdAt: host.clock.now().toISOString(),
      lastUsedAt: null,
    },
  ]);
  host.clock.advance(60_000);
  const entered = await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() }));
  const profile = await call('GET', '/api/account/profile', undefined, entered.body.token);
  expect(profile.body.data).toMatchObject({ email: account.email });
  expect((await signInOf(host, account.token)).passkeys).toMatchObject([
    { lastUsedAt: host.clock.now().toISOString() },
  ]);
  expect(await subjectsTo(host, account.email)).toEqual(['A passkey was added to your account']);
});

test('adding and removing a passkey are in the recent activity', async () => {
  const recent = async () => {
    const { body } = await call('GET', '/api/dashboard/overview');
    return (body.data as { recentActivities: { type: string }[] }).recentActivities.map(({ type }) => type);
  };
  const { id } = (await add()).body.data as { id: string };
  host.clock.advance(1);
  expect(await recent()).toEqual(['passkey_added']);
  expect((await call('POST', PATH, { name: 'x', credential: {} })).status).toBe(422);
  const remove = () => call('DELETE', `${PATH}/${id}`, { currentPassword: account.password });
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(404);
  expect(await recent()).toEqual(['passkey_removed', 'passkey_added']);
});

test('the options require user verification and a discoverable credential', async () => {
  const { body } = await call('POST', `${PATH}/options`, { currentPassword: account.password });
  expect(body.data).toMatchObject({
    rp: { id: SITE.rpId, name: 'Quadrille' },
    user: { name: account.email },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  });
  const login = await send(host, 'POST', '/api/login_passkey/options');
  expect(login.body.data).toMatchObject({ rpId: SITE.rpId, userVerification: 'required' });
});

test('a passkey counts as both factors', async () => {
  await add();
  await setUpAuthenticator(host, account);
  const entered = await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() }));
  expect((await call('GET', '/api/account/profile', undefined, entered.body.token)).status).toBe(200);
});

test('each challenge works once, within five minutes, and only for its purpose', async () => {
  const challenge = await begin();
  const elsewhere = await host.account();
  const foreign = authenticator.create({ ...SITE, challenge });
  expect(outcome(await call('POST', PATH, { credential: foreign }, elsewhere.token))).toEqual(REFUSED);
  expect((await call('POST', PATH, { credential: foreign })).status).toBe(201);
  const again = new SoftwareAuthenticator().create({ ...SITE, challenge });
  expect(outcome(await call('POST', PATH, { credential: again }))).toEqual(REFUSED);

  const login = await beginLogIn();
  const used = authenticator.get({ ...SITE, challenge: login });
  expect((await logIn(used)).status).toBe(200);
  expect(outcome(await logIn(used))).toEqual(REFUSED);
  const last = await beginLogIn();
  host.clock.advance(5 * 60_000);
  expect((await logIn(authenticator.get({ ...SITE, challenge: last }))).status).toBe(200);
  const late = await beginLogIn();
  host.clock.advance(5 * 60_000 + 1);
  expect(outcome(await logIn(authenticator.get({ ...SITE, challenge: late })))).toEqual(REFUSED);
  const other = authenticator.get({ ...SITE, challenge: await begin((await signInAgain()) ?? '') });
  expect(outcome(await logIn(other))).toEqual(REFUSED);
  const made = Buffer.alloc(38, 7).toString('base64url');
  expect(outcome(await logIn(authenticator.get({ ...SITE, challenge: made })))).toEqual(REFUSED);
});

async function signInAgain() {
  const { email, password } = account;
  return (await send(host, 'POST', '/api/login_check', { email, password })).body.token;
}

test.each([
  ['of another site', { rpId: 'evil.example', origin: 'https://evil.example' }],
  ['for this site, requested by another', { ...SITE, origin: 'https://evil.example' }],
  ['without user verification', { ...SITE, isVerified: false }],
])('a credential %s neither adds a passkey nor signs in', async (_, site) => {
  const made = authenticator.create({ ...site, challenge: await begin() });
  expect(outcome(await call('POST', PATH, { credential: made }))).toEqual(REFUSED);
  await add();
  const used = authenticator.get({ ...site, challenge: await beginLogIn() });
  expect(outcome(await logIn(used))).toEqual(REFUSED);
});

test('a cloned authenticator is detected by its counter', async () => {
  await add();
  for (const _ of [1, 2]) await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() }));
  authenticator.counter = 0;
  expect(outcome(await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() })))).toEqual(
    REFUSED,
  );
});

test('another key does not sign in with the id of a known one', async () => {
  await add();
  const { response } = new SoftwareAuthenticator().get({ ...SITE, challenge: await beginLogIn() });
  const id = authenticator.id.toString('base64url');
  expect(outcome(await logIn({ id, rawId: id, type: 'public-key', response }))).toEqual(REFUSED);
});

test('a database error is not reported as an invalid passkey', async () => {
  await add();
  const used = authenticator.get({ ...SITE, challenge: await beginLogIn() });
  const made = new SoftwareAuthenticator().create({ ...SITE, challenge: await begin() });
  const { orm } = host.db;
  await orm.execute(
    "alter table rate_limits add constraint no_more check (key not like 'passkey-challenge:%') not valid",
  );
  try {
    expect((await logIn(used)).status).toBe(500);
    expect((await call('POST', PATH, { credential: made })).status).toBe(500);
  } finally {
    await orm.execute('alter table rate_limits drop constraint no_more');
  }
  expect((await logIn(used)).status).toBe(200);
  expect((await call('POST', PATH, { credential: made })).status).toBe(201);
});

test('an account has at most twenty passkeys, however many registrations were begun', async () => {
  const begun = [];
  for (let turn = 0; turn < 21; turn += 1) begun.push(await begin());
  const statuses = [];
  for (const challenge of begun) {
    // Adding passkeys is also limited per hour.
    host.clock.advance(10_000);
    const credential = new SoftwareAuthenticator().create({ ...SITE, challenge });
    statuses.push((await call('POST', PATH, { credential })).status);
    if (statuses.length === 10) await host.db.orm.execute('delete from rate_limits');
  }
  expect(statuses).toEqual([...Array(20).fill(201), 409]);
  expect((await call('POST', `${PATH}/options`, { currentPassword: account.password })).status).toBe(409);
});

test('adding a passkey is tried at most twenty times an hour', async () => {
  const credential = new SoftwareAuthenticator().create({ ...SITE, challenge: 'none' });
  const statuses = [];
  for (let turn = 0; turn < 21; turn += 1) statuses.push((await call('POST', PATH, { credential })).status);
  expect(statuses).toEqual([...Array(20).fill(422), 429]);
});

test('an invalid name is refused before the browser creates a key', async () => {
  const body = { currentPassword: account.password, name: 'one\ttwo' };
  const refused = await call('POST', `${PATH}/options`, body);
  expect(outcome(refused)).toEqual([422, { name: ['passkey_name_invalid'] }]);
});

test('a credential belongs to one account', async () => {
  await add();
  const first = account;
  account = await host.account();
  expect(outcome(await add())).toEqual(REFUSED);
  const entered = await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() }));
  const profile = await call('GET', '/api/account/profile', undefined, entered.body.token);
  expect(profile.body.data).toMatchObject({ email: first.email });
});

test('a passkey is named, renamed, and removed with the password', async () => {
  const { id } = (await add('')).body.data as { id: string };
  expect((await signInOf(host, account.token)).passkeys).toMatchObject([{ name: 'Safari · iOS' }]);
  expect((await call('PATCH', `${PATH}/${id}`, { name: ' ' })).body.errors).toEqual({
    name: ['passkey_name_required'],
  });
  await call('PATCH', `${PATH}/${id}`, { name: 'Phone' });
  expect((await signInOf(host, account.token)).passkeys).toMatchObject([{ name: 'Phone' }]);
  const refused = await call('DELETE', `${PATH}/${id}`, {});
  expect(refused.body.errors).toEqual({ currentPassword: ['password_required'] });
  const removed = await call('DELETE', `${PATH}/${id}`, { currentPassword: account.password });
  expect(removed.body).toMatchObject({ message: 'passkey_removed' });
  expect(outcome(await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() })))).toEqual(
    REFUSED,
  );
  expect((await subjectsTo(host, account.email))[0]).toBe('A passkey was removed from your account');
});

test('the only sign-in method of an account cannot be removed, whichever it is', async () => {
  const { id } = (await add()).body.data as { id: string };
  await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
  const token = (await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() }))).body.token ?? '';
  expect((await call('DELETE', `${PATH}/${id}`, {}, token)).status).toBe(409);
  expect((await signInOf(host, account.token)).passkeys).toHaveLength(1);
  const google = { issuer: 'https://accounts.google.com', subject: account.id, accountId: account.id };
  const [identity] = await host.db.orm
    .insert(identities)
    .values({ ...google, createdAt: host.clock.now() })
    .returning();
  // With a passkey the Google account may be removed, and then the passkey may not.
  const path = `/api/account/identities/${identity?.id}`;
  expect((await call('DELETE', path, {}, token)).status).toBe(200);
  expect((await call('DELETE', `${PATH}/${id}`, {}, token)).status).toBe(409);
});

test('a passkey is exported without its key, and erased with the account', async () => {
  await add();
  const { body } = await call('GET', '/api/account/export');
  const data = body.data as { account: { passkeys: unknown[] } };
  expect(data.account.passkeys).toMatchObject([{ name: 'My key' }]);
  expect((await call('DELETE', '/api/account', { password: account.password })).status).toBe(200);
  expect(await host.db.orm.select().from(passkeys).where(eq(passkeys.accountId, account.id))).toEqual([]);
  expect(outcome(await logIn(authenticator.get({ ...SITE, challenge: await beginLogIn() })))).toEqual(
    REFUSED,
  );
});
