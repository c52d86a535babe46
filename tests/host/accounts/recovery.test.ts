import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashingTasks } from '#host/accounts/hashing';
import { createOnboarding } from '#host/accounts/onboarding';
import { createPasswords } from '#host/accounts/passwords';
import { accounts, identities, linkRequests, mailTokens } from '#host/db/accounts.tables';
import { passkeys } from '#host/db/factors.tables';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, mailedToken, NON_OBJECT_BODIES, send, subjectsTo } from '../../support/json-calls';
import { processorTime } from '../../support/processor-time';
import { addSignInWays } from '../../support/sign-in-ways';

const NEW = 'seven green boats at dawn';

/** The parameters of production. */
const OWASP = { memoryCost: 19_456, timeCost: 2 };
const CHEAP = { memoryCost: 8, timeCost: 1 };

/** What has been hashed, and with which parameters. */
let hashed: string[] = [];
const notedTasks: typeof hashingTasks = {
  ...hashingTasks,
  hash: (input) => {
    hashed.push(`hash ${JSON.stringify(input.strength)}`);
    return hashingTasks.hash(input);
  },
  verify: (input) => {
    hashed.push(`verify ${input.expected.split('$').slice(0, 4).join('$')}`);
    return hashingTasks.verify(input);
  },
};

let host: TestHost;
let statements: string[] = [];

beforeAll(async () => {
  host = await createTestHost({ passwords: createPasswords(CHEAP, notedTasks) });
});
beforeEach(() => {
  host.clock.advance(3_600_000);
});
afterAll(() => host.close());

function forget(email: unknown, locale?: string) {
  return send(host, 'POST', '/api/account/forgot-password', { email, locale });
}

function reset(token: string, password = NEW) {
  return send(host, 'POST', '/api/account/reset-password', { token, password, confirmPassword: password });
}

async function forgetful(): Promise<{ account: TestAccount; token: string }> {
  const account = await host.account();
  await forget(account.email);
  return { account, token: await mailedToken(host, account.email) };
}

test('a forgotten password is reset through the mailed link, which signs nobody in', async () => {
  const { account, token } = await forgetful();
  const answered = await reset(token);
  expect(answered.body).toEqual({ status: 'success', message: 'password_reset', passkeys: 0, keys: 0 });
  const old = await send(host, 'POST', '/api/login_check', account);
  expect(old.status).toBe(401);
  expect((await send(host, 'POST', '/api/login_check', { ...account, password: NEW })).status).toBe(200);
});

test('a reset ends every session and notifies the owner', async () => {
  const { account, token } = await forgetful();
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(200);
  host.clock.advance(1000);
  await reset(token);
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(401);
  expect(await subjectsTo(host, account.email)).toEqual(['Your password was changed', 'Set a new password']);
});

test('a reset says how many programs still have access, and ends it if asked to', async () => {
  const { account, token } = await forgetful();
  const { secret } = await makeApiKey(host, account);
  expect((await reset(token)).body).toMatchObject({ passkeys: 0, keys: 1 });
  expect((await host.request('/api/v1/tags', { token: secret })).status).toBe(200);
  await forget(account.email);
  const fields = { password: NEW, confirmPassword: NEW, revokesKeys: true };
  const body = { token: await mailedToken(host, account.email), ...fields };
  expect((await send(host, 'POST', '/api/account/reset-password', body)).body).toMatchObject({ keys: 0 });
  expect((await host.request('/api/v1/tags', { token: secret })).status).toBe(401);
});

test('a reset forgets the wrong passwords of before', async () => {
  const account = await host.account();
  const change = (currentPassword: string, { token } = account) =>
    send(
      host,
      'POST',
      '/api/account/change-password',
      { currentPassword, newPassword: 'other words' },
      { token },
    );
  for (let wrong = 0; wrong < 10; wrong += 1) await change('not the password');
  expect((await change(account.password)).status).toBe(429);
  await forget(account.email);
  await reset(await mailedToken(host, account.email));
  const { body } = await send(host, 'POST', '/api/login_check', { ...account, password: NEW });
  expect((await change(NEW, { ...account, token: body.token ?? '' })).status).toBe(200);
});

test('a reset cancels a pending e-mail change and its link', async () => {
  const account = await host.account();
  const newEmail = `new-${account.id}@test.example`;
  const change = { firstName: 'A', lastName: 'B', email: newEmail, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', change, account);
  const confirmation = await mailedToken(host, newEmail);
  await forget(account.email);
  await reset(await mailedToken(host, account.email));
  const confirmed = await send(host, 'POST', '/api/account/confirm-email', { token: confirmation });
  expect(confirmed.body.errors).toEqual({ token: ['token_expired'] });
  const { body } = await send(host, 'POST', '/api/login_check', { ...account, password: NEW });
  const profile = await send(host, 'GET', '/api/account/profile', undefined, body);
  expect(profile.body.data).toMatchObject({ email: account.email, pendingEmail: null });
  const again = await send(host, 'POST', '/api/account/email-change/resend', undefined, body);
  expect(again.status).toBe(404);
});

test('the link is stored only as a hash, and expires after 30 minutes', async () => {
  const { account, token } = await forgetful();
  const [kept] = await host.db.orm.select().from(mailTokens).where(eq(mailTokens.accountId, account.id));
  expect(JSON.stringify(kept)).not.toContain(token);
  host.clock.advance(30 * 60_000 - 1);
  expect((await send(host, 'POST', '/api/account/mail-token', { token, purpose: 'reset' })).status).toBe(200);
  host.clock.advance(1);
  expect((await reset(token)).body.errors).toEqual({ token: ['token_expired'] });
});

test('only the newest link of an account works', async () => {
  const { account, token: first } = await forgetful();
  host.clock.advance(1000);
  await forget(account.email.toUpperCase());
  const second = await mailedToken(host, account.email);
  expect((await reset(first)).body.errors).toEqual({ token: ['token_expired'] });
  expect((await reset(second)).status).toBe(200);
  host.clock.advance(60_001);
  expect((await reset(second)).body.errors).toEqual({ token: ['token_used'] });
  expect((await reset('x'.repeat(43))).body.errors).toEqual({ token: ['token_unknown'] });
});

test('a double click gets the response of the first, and sets the password once', async () => {
  const { account, token } = await forgetful();
  const [first, second] = await Promise.all([reset(token), reset(token)]);
  expect([first.body, second.body]).toEqual(
    Array(2).fill({ status: 'success', message: 'password_reset', passkeys: 0, keys: 0 }),
  );
  expect((await subjectsTo(host, account.email)).filter((subject) => /changed/i.test(subject))).toHaveLength(
    1,
  );
  expect((await reset(token, 'some other words')).body.errors).toEqual({ token: ['token_used'] });
  host.clock.advance(60_000);
  expect((await reset(token)).status).toBe(200);
  host.clock.advance(1);
  expect((await reset(token)).body.errors).toEqual({ token: ['token_used'] });
});

test('of two concurrent resets with one link one sets its password', async () => {
  const { account, token } = await forgetful();
  const passwords = ['the first of two words', 'the other of two words'];
  const answers = await Promise.all(passwords.map((password) => reset(token, password)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  const signIns = await Promise.all(
    passwords.map((password) => send(host, 'POST', '/api/login_check', { ...account, password })),
  );
  expect(signIns.map(({ status }) => status)).toEqual(
    answers.map(({ status }) => (status === 200 ? 200 : 401)),
  );
});

test('a buyer who never finished onboarding is sent the onboarding link instead', async () => {
  const buyer = { email: 'late-buyer@shop.example', locale: 'de' as const };
  await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now());
  host.clock.advance(1000);
  await forget(buyer.email);
  expect(await subjectsTo(host, buyer.email)).toEqual([
    'Schließen Sie die Einrichtung Ihres Kontos ab',
    'Schließen Sie die Einrichtung Ihres Kontos ab',
  ]);
});

test.each(['a passkey', 'Google'])(
  'an account with nothing but %s is set up: both links that it asks for set a password',
  async (way) => {
    const account = await host.account();
    const ways = await addSignInWays(host, account.id, account);
    const { orm } = host.db;
    await orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
    if (way === 'a passkey') await orm.delete(identities).where(eq(identities.id, ways.google));
    else await orm.delete(passkeys).where(eq(passkeys.id, ways.passkey));
    await forget(account.email);
    host.clock.advance(1000);
    await send(host, 'POST', '/api/account/onboarding/resend', { email: account.email });
    expect(await subjectsTo(host, account.email)).toEqual(['Set a new password', 'Set a new password']);
    expect((await reset(await mailedToken(host, account.email))).status).toBe(200);
    expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(401);
  },
);

test('the mail is in the language of the page that requested it', async () => {
  const account = await host.account();
  await forget(account.email, 'it');
  expect(await subjectsTo(host, account.email)).toEqual(['Scegli una nuova password']);
  const [kept] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
  expect(kept?.locale).toBe('gb');
});

test('a known and an unknown address get the same response after the same SQL statements', async () => {
  const account = await host.account();
  const seen = [];
  for (const email of [account.email, 'nobody-here-at-all-or-so@test.example']) {
    const { status, body, headers } = await watched(() => forget(email));
    seen.push({ status, body, type: headers.get('content-type'), statements });
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]?.statements.length).toBeGreaterThan(2);
  expect(await subjectsTo(host, 'nobody-here-at-all-or-so@test.example')).toEqual([]);
});

test('the response time does not reveal whether an address is known', async () => {
  const account = await host.account();
  // As in production. Work that is done for only one of the two would cost a good part of this.
  const hashings: number[] = [];
  for (let turn = 0; turn < 5; turn += 1)
    hashings.push(await processorTime(() => hashingTasks.hash({ text: NEW, strength: OWASP })));
  hashed = [];
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let turn = 0; turn < 40; turn += 1) {
    host.clock.advance(3_600_000);
    times.known.push(await processorTime(() => forget(account.email)));
    times.unknown.push(await processorTime(() => forget(`nobody-${turn}@test.example`)));
  }
  expect(hashed).toEqual([]);
  const difference = Math.abs(Math.min(...times.known) - Math.min(...times.unknown));
  expect(difference).toBeLessThan(Math.min(...hashings) / 3);
  await host.db.orm.delete(linkRequests);
});

test('a wrong password costs the same hashing for a known and an unknown address', async () => {
  const account = await host.account();
  const attempt = async (email: string) => {
    await send(host, 'POST', '/api/login_check', { email, password: 'wrong one' });
    hashed = [];
    await send(host, 'POST', '/api/login_check', { email, password: 'wrong one' });
    return [...hashed];
  };
  const known = await attempt(account.email);
  expect(known).toEqual(['verify $argon2id$v=19$m=8,t=1,p=1']);
  expect(await attempt('nobody@test.example')).toEqual(known);
});

test('an address is mailed at most three links an hour, and an unknown one is limited the same way', async () => {
  const account = await host.account();
  const answers = [];
  for (let turn = 0; turn < 4; turn += 1) answers.push(await forget(account.email));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  const stranger = [];
  for (let turn = 0; turn < 4; turn += 1) stranger.push((await forget('flooded@nowhere.example')).status);
  expect(stranger).toEqual([200, 200, 200, 429]);
});

test('a request whose mail cannot be written does not hold up the ones behind it', async () => {
  const [first, second] = [await host.account(), await host.account()];
  await host.db.orm.update(accounts).set({ locale: sql`'xx'` }).where(eq(accounts.id, first.id));
  await forget(first.email);
  await forget(second.email);
  expect(await subjectsTo(host, second.email)).toEqual(['Set a new password']);
  expect(await host.db.orm.select().from(linkRequests)).toEqual([]);
});

test.each(brokenBodies({ email: 'a@b.example' }, ['email']))(
  'forgot-password refuses %s that is %s',
  async (_, __, body) => {
    const answered = await send(host, 'POST', '/api/account/forgot-password', body);
    expect([answered.status, Object.keys(answered.body.errors ?? {})]).toEqual([422, ['email']]);
  },
);

test.each(
  brokenBodies({ token: 'x'.repeat(43), password: NEW, confirmPassword: NEW }, [
    'token',
    'password',
    'confirmPassword',
  ]),
)('reset refuses %s that is %s', async (field, _, body) => {
  const answered = await send(host, 'POST', '/api/account/reset-password', body);
  expect(answered.status).toBe(422);
  expect(Object.keys(answered.body.errors ?? {})).toContain(field);
});

test.each(NON_OBJECT_BODIES)('forgot-password refuses a body that is %s', async (_, text, status) => {
  expect((await send(host, 'POST', '/api/account/forgot-password', text)).status).toBe(status);
});

async function watched<Result>(act: () => Promise<Result>): Promise<Result> {
  statements = [];
  const client = host.db.orm as unknown as {
    _: { session: { prepareQuery: (query: { sql: string }) => unknown } };
  };
  const { session } = client._;
  const prepare = session.prepareQuery;
  session.prepareQuery = function (this: unknown, query: { sql: string }, ...rest: unknown[]) {
    statements.push(query.sql);
    return (prepare as (...all: unknown[]) => unknown).call(session, query, ...rest);
  };
  try {
    return await act();
  } finally {
    session.prepareQuery = prepare;
  }
}
