import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeMailToken } from '#host/accounts/mail-tokens';
import { accounts, identities } from '#host/db/accounts.tables';
import { passkeys, recoveryCodes, totpSecrets } from '#host/db/factors.tables';
import { mails } from '#host/db/mail.tables';
import { type Authenticator, codeAt, setUpAuthenticator } from '../../support/authenticator';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { interruptible } from '../../support/interrupted-database';
import { mailedToken, send } from '../../support/json-calls';
import { SoftwareAuthenticator } from '../../support/software-authenticator';

const RESET = 'seven green boats at dawn';
const THEIRS = 'nine quiet owls by the harbour';
const SITE = { rpId: 'www.quadrille.example', origin: 'https://www.quadrille.example' };

let host: TestHost;
let interrupt: ReturnType<typeof interruptible>['interrupt'];
let account: TestAccount;

beforeAll(async () => {
  const interrupted = interruptible(await openFresh());
  interrupt = interrupted.interrupt;
  host = await createTestHost({ db: interrupted.db });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: unknown) => send(host, method, path, body, account);
const proof = () => ({ currentPassword: account.password });
const newEmail = () => `theirs-${account.id}@test.example`;

/** The owner recovers the account through a mailed link. */
async function reset(): Promise<void> {
  const link = { accountId: account.id, purpose: 'reset' } as const;
  const token = await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now());
  const body = { token, password: RESET, confirmPassword: RESET };
  expect((await send(host, 'POST', '/api/account/reset-password', body)).status).toBe(200);
}

/** Everything that somebody with the stolen old password could change and keep. */
async function state() {
  const { orm } = host.db;
  const id = account.id;
  const [row] = await orm.select().from(accounts).where(eq(accounts.id, id));
  const totp = await orm.select().from(totpSecrets).where(eq(totpSecrets.accountId, id));
  const codes = await orm.select().from(recoveryCodes).where(eq(recoveryCodes.accountId, id));
  return {
    opens: (await send(host, 'POST', '/api/login_check', { email: account.email, password: RESET })).status,
    account: [row?.deletedAt, row?.email, row?.firstName, row?.pendingEmail],
    requested: await orm.select().from(mails).where(eq(mails.to, newEmail())),
    passkeys: await orm.select().from(passkeys).where(eq(passkeys.accountId, id)),
    identities: await orm.select().from(identities).where(eq(identities.accountId, id)),
    totp: totp.map(({ sealed, confirmedAt }) => ({ sealed, confirmedAt })),
    salts: [...new Set(codes.map(({ salt }) => salt))],
  };
}

async function newPasskey() {
  const { body } = await call('POST', '/api/account/passkeys/options', proof());
  const { challenge } = body.data as { challenge: string };
  return { name: 'My key', credential: new SoftwareAuthenticator().create({ ...SITE, challenge }) };
}

async function withSecondFactor(): Promise<Authenticator & { code: string }> {
  const authenticator = await setUpAuthenticator(host, account);
  host.clock.advance(30_000);
  return { ...authenticator, code: codeAt(authenticator.secret, host.clock.now()) };
}

async function linkGoogle(): Promise<string> {
  const google = { issuer: 'https://accounts.google.com', subject: account.id, accountId: account.id };
  const [made] = await host.db.orm
    .insert(identities)
    .values({ ...google, createdAt: host.clock.now() })
    .returning();
  return made?.id ?? '';
}

/** Each prepares what the act needs and returns the act. */
const ACTS: Record<string, () => Promise<() => ReturnType<typeof send>>> = {
  'asks for another e-mail': async () => () =>
    call('PUT', '/api/account/profile', {
      firstName: 'Mallory',
      lastName: 'Tester',
      email: newEmail(),
      ...proof(),
    }),
  'changes the password': async () => () =>
    call('POST', '/api/account/change-password', { ...proof(), newPassword: THEIRS }),
  'erases the account': async () => () => call('DELETE', '/api/account', { password: account.password }),
  'adds a passkey': async () => {
    const made = await newPasskey();
    return () => call('POST', '/api/account/passkeys', made);
  },
  'removes a passkey': async () => {
    const { body } = await call('POST', '/api/account/passkeys', await newPasskey());
    return () => call('DELETE', `/api/account/passkeys/${(body.data as { id: string }).id}`, proof());
  },
  'unlinks a Google account': async () => {
    const id = await linkGoogle();
    return () => call('DELETE', `/api/account/identities/${id}`, proof());
  },
  'begins a second factor': async () => () => call('POST', '/api/account/second-factor', proof()),
  'turns a second factor on': async () => {
    const { body } = await call('POST', '/api/account/second-factor', proof());
    const code = codeAt((body.data as { secret: string }).secret, host.clock.now());
    return () => call('POST', '/api/account/second-factor/confirmation', { code });
  },
  'turns the second factor off': async () => {
    const { code } = await withSecondFactor();
    return () => call('DELETE', '/api/account/second-factor', { ...proof(), code });
  },
  'renews the recovery codes': async () => {
    const { code } = await withSecondFactor();
    return () => call('POST', '/api/account/second-factor/recovery-codes', { ...proof(), code });
  },
};

test.each(Object.keys(ACTS))(
  'whoever %s with a password that is reset in the meantime changes nothing',
  async (name) => {
    const act = await ACTS[name]?.();
    let before: unknown;
    interrupt(async () => {
      await reset();
      before = await state();
    });
    const refused = await act?.();
    expect([refused?.status, refused?.body.code]).toEqual([401, 'unauthenticated']);
    expect(before).toMatchObject({ opens: 200 });
    expect(await state()).toEqual(before);
  },
);

test.each(Object.keys(ACTS))('whoever %s while nothing else happens succeeds', async (name) => {
  const act = await ACTS[name]?.();
  expect([200, 201]).toContain((await act?.())?.status);
});

test('cancelling a change that is confirmed in the meantime gets 404, and the change stays', async () => {
  await ACTS['asks for another e-mail']?.().then((act) => act());
  const token = await mailedToken(host, newEmail());
  interrupt(() => send(host, 'POST', '/api/account/confirm-email', { token }, account));
  expect((await call('DELETE', '/api/account/email-change')).status).toBe(404);
  expect((await state()).account).toContain(newEmail());
});

test('a change that is cancelled during the resend gets no second confirmation', async () => {
  await ACTS['asks for another e-mail']?.().then((act) => act());
  interrupt(() => call('DELETE', '/api/account/email-change'));
  expect((await call('POST', '/api/account/email-change/resend')).status).toBe(404);
  expect((await state()).requested).toHaveLength(1);
});
