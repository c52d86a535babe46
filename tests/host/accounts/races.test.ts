import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull, like } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding, ensureAccount } from '#host/accounts/onboarding';
import { changeCode } from '#host/codes/code/change';
import { insertCode } from '#host/codes/code/create';
import { findCode } from '#host/codes/code/store';
import { accounts, billingAddresses, identities, linkRequests, mailTokens } from '#host/db/accounts.tables';
import { codeChanges, codes } from '#host/db/codes.tables';
import { passkeys } from '#host/db/factors.tables';
import { mails } from '#host/db/mail.tables';
import { processLinkRequests, requestLink } from '#host/sign-in/link-requests';
import { rowsOf } from '../../support/account-rows';
import { createTestHost, type TestHost } from '../../support/host';
import { mailedToken, send, subjectsTo } from '../../support/json-calls';

const NEW = 'seven green boats at dawn';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(() => host.clock.advance(3_600_000));
afterAll(() => host.close());

/** Runs an act several times concurrently, as several nodes or impatient users would. */
function atOnce<Result>(times: number, act: (turn: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, turn) => act(turn)));
}

function outcomes(answers: { status: number }[]): Record<number, number> {
  const found: Record<number, number> = {};
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1;
  return found;
}

test('an onboarding link works once', async () => {
  const buyer = { email: 'buyer@shop.example', locale: 'gb' as const };
  const { token } = await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now());
  const body = { token, firstName: 'Ada', lastName: 'Byron' };
  const answers = await atOnce(8, (turn) => {
    const password = `${NEW} ${turn}`;
    return send(host, 'POST', '/api/account/onboarding', { ...body, password, confirmPassword: password });
  });
  expect(outcomes(answers)).toEqual({ 200: 1, 422: 7 });
});

test('a reset link works once', async () => {
  const account = await host.account();
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const token = await mailedToken(host, account.email);
  const answers = await atOnce(8, (turn) => {
    const password = `${NEW} ${turn}`;
    return send(host, 'POST', '/api/account/reset-password', {
      token,
      password,
      confirmPassword: password,
    });
  });
  expect(outcomes(answers)).toEqual({ 200: 1, 422: 7 });
});

test('an e-mail confirmation works once', async () => {
  const account = await host.account();
  const email = 'new@test.example';
  const change = { firstName: 'A', lastName: 'B', email, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', change, account);
  const token = await mailedToken(host, email);
  const answers = await atOnce(8, () => send(host, 'POST', '/api/account/confirm-email', { token }));
  expect(outcomes(answers)).toEqual({ 200: 8 });
  const reported = await subjectsTo(host, account.email);
  expect(reported.filter((subject) => subject.includes('was changed'))).toHaveLength(1);
});

test('of two accounts that confirm the same address one gets it', async () => {
  const rivals = [await host.account(), await host.account()];
  const tokens: string[] = [];
  for (const { token, password } of rivals) {
    const change = {
      firstName: 'A',
      lastName: 'B',
      email: 'wanted@test.example',
      currentPassword: password,
    };
    await send(host, 'PUT', '/api/account/profile', change, { token });
    host.clock.advance(1000);
    tokens.push(await mailedToken(host, 'wanted@test.example'));
  }
  const answers = await Promise.all(
    tokens.map((token) => send(host, 'POST', '/api/account/confirm-email', { token })),
  );
  expect(outcomes(answers)).toEqual({ 200: 1, 422: 1 });
  const refused = answers.find(({ status }) => status === 422);
  expect(refused?.body.errors).toEqual({ token: ['email_taken'] });
});

test('nodes answer each link request once, and one link stays valid', async () => {
  const account = await host.account();
  const now = host.clock.now();
  await atOnce(6, () => requestLink(host.db.orm, { purpose: 'reset', email: account.email }, now));
  await atOnce(4, () => processLinkRequests(host.deps, now));
  const ofAccount = eq(mailTokens.accountId, account.id);
  const live = and(ofAccount, isNull(mailTokens.usedAt), gt(mailTokens.expiresAt, now));
  expect(await host.db.orm.select().from(mailTokens).where(live)).toHaveLength(1);
  expect(await host.db.orm.select().from(mails).where(eq(mails.to, account.email))).toHaveLength(6);
  expect(await host.db.orm.select().from(linkRequests)).toEqual([]);
});

test('of the last two sign-in methods of an account one stays', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { id: accountId, token } = await host.account();
    await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, accountId));
    const now = host.clock.now();
    const [identity] = await host.db.orm
      .insert(identities)
      .values({ issuer: 'https://accounts.google.com', subject: accountId, accountId, createdAt: now })
      .returning();
    const key = {
      credentialId: accountId,
      publicKey: Buffer.alloc(32),
      counter: 0,
      transports: [],
      name: 'Key',
    };
    const passkey = { id: randomUUID(), accountId, ...key, createdAt: now };
    await host.db.orm.insert(passkeys).values(passkey);
    const answers = await Promise.all([
      send(host, 'DELETE', `/api/account/identities/${identity?.id}`, {}, { token }),
      send(host, 'DELETE', `/api/account/passkeys/${passkey.id}`, {}, { token }),
    ]);
    expect(outcomes(answers)).toEqual({ 200: 1, 409: 1 });
  }
});

test('one e-mail address gets one account', async () => {
  const made = await atOnce(8, (turn) => {
    const email = turn % 2 ? 'Single@shop.example' : 'single@SHOP.example';
    return ensureAccount(host.db.orm, { email, locale: 'gb' }, host.clock.now());
  });
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
});

test('concurrent changes leave exactly one default address', async () => {
  const account = await host.account();
  const path = '/api/account/billing-addresses';
  const home = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
  const made = await atOnce(6, (turn) =>
    send(host, 'POST', path, { ...home, is_default: turn > 2 }, account),
  );
  const ids = made.map(({ body }) => (body.data as { id: string }).id);
  await atOnce(6, (turn) =>
    turn % 2
      ? send(host, 'DELETE', `${path}/${ids[turn]}`, undefined, account)
      : send(host, 'PUT', `${path}/${ids[turn]}`, { ...home, is_default: true }, account),
  );
  const { body } = await send(host, 'GET', path, undefined, account);
  const defaults = (body.data as { is_default: boolean }[]).map(({ is_default }) => is_default);
  expect(defaults).toEqual([true, false, false]);
});

test('an account is erased once, and concurrent calls leave nothing behind', async () => {
  const account = await host.account();
  const body = { password: account.password };
  const home = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
  await atOnce(6, (turn) =>
    turn < 3
      ? send(host, 'DELETE', '/api/account', body, account)
      : send(host, 'POST', '/api/account/billing-addresses', home, account),
  );
  expect(await host.db.orm.select().from(mails).where(eq(mails.to, account.email))).toHaveLength(1);
  const left = eq(billingAddresses.accountId, account.id);
  expect(await host.db.orm.select().from(billingAddresses).where(left)).toEqual([]);
});

test('no link is mailed and nobody signs in while the account is erased', async () => {
  for (let round = 0; round < 6; round += 1) {
    const account = await host.account();
    const { email, password } = account;
    for (const purpose of ['reset', 'onboarding'] as const)
      await requestLink(host.db.orm, { purpose, email }, host.clock.now());
    const change = { firstName: 'A', lastName: 'B', email: `new-${email}`, currentPassword: password };
    const acts = [
      () => send(host, 'POST', '/api/login_check', { email, password }),
      () => send(host, 'PUT', '/api/account/profile', change, account),
      () => send(host, 'POST', '/api/account/second-factor', { currentPassword: password }, account),
      () => processLinkRequests(host.deps, host.clock.now()).then(() => ({ status: 200 })),
    ];
    acts.splice(round % 5, 0, () => send(host, 'DELETE', '/api/account', { password }, account));
    const answers = await atOnce(acts.length, (turn) => acts[turn]?.() ?? Promise.reject(turn));
    expect(answers[round % 5]?.status).toBe(200);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect(Object.keys(await rowsOf(host, account.id))).toEqual(['subscriptions']);
    const left = await host.db.orm
      .select({ template: mails.template })
      .from(mails)
      .where(like(mails.to, `%${email}`));
    expect(left).toEqual([{ template: 'account-mail.account_deleted' }]);
  }
});

test('an e-mail change can be cancelled and confirmed concurrently', async () => {
  for (let round = 0; round < 8; round += 1) {
    const account = await host.account();
    const email = `new-${account.email}`;
    const change = { firstName: 'A', lastName: 'B', email, currentPassword: account.password };
    await send(host, 'PUT', '/api/account/profile', change, account);
    const token = await mailedToken(host, email);
    const answers = await atOnce(4, (turn) =>
      turn % 2 === round % 2
        ? send(host, 'DELETE', '/api/account/email-change', undefined, account)
        : send(host, 'POST', '/api/account/confirm-email', { token }, account),
    );
    for (const { status } of answers) expect([200, 401, 404, 422]).toContain(status);
  }
});

test('a code created or changed while its account is erased keeps no content', async () => {
  for (let round = 0; round < 4; round += 1) {
    const account = await host.account();
    const old = await host.code(account.id, { content: 'https://before.example/' });
    const answers = await atOnce(9, (turn) => {
      if (turn === 3 + round)
        return send(host, 'DELETE', '/api/account', { password: account.password }, account);
      if (turn % 2) return createCode(host, account.token, `https://new-${turn}.example/`);
      const change = { content: `https://changed-${turn}.example/` };
      return send(host, 'PATCH', `/api/qrcodes/${old.id}`, change, account);
    });
    expect(answers[3 + round]?.status).toBe(200);
    for (const { status } of answers) expect([200, 201, 401, 404]).toContain(status);
    const left = await host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));
    for (const { content, deletedAt } of left) expect([content, deletedAt]).toEqual(['', host.clock.now()]);
    expect(await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, old.id))).toEqual([]);
    const [row] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
    expect(row?.codeCount).toBe(0);
  }
});

test('writes that were requested before the erasure are refused after it', async () => {
  const account = await host.account();
  const { id } = await host.code(account.id);
  const before = await findCode(host.db.orm, account.id, id);
  if (!before) throw new Error('the code was not made');
  await send(host, 'DELETE', '/api/account', { password: account.password }, account);
  const at = host.clock.now();
  const { logoName: _name, scans: _scans, clicks: _clicks, lastAt: _last, ...row } = before;
  const another = { ...row, id: randomUUID(), slug: 'ZZZZZZZZ' };
  await expect(insertCode(host.db.orm, another)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await changeCode(host.db.orm, before, { content: 'b', tags: ['c'] }, at)).toBe(false);
  const left = await host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));
  expect(left).toMatchObject([{ id, content: '', deletedAt: at }]);
  expect(await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id))).toEqual([]);
});

async function createCode(host: TestHost, token: string, content: string) {
  const form = new FormData();
  form.set('isPublic', 'true');
  form.set('type', 'link');
  form.set('data', content);
  form.set(
    'parameters',
    JSON.stringify({ width: 300, errorCorrectionLevel: 'H', useWhiteBackground: false }),
  );
  const { status } = await host.request('/api/qrcodes', { method: 'POST', body: form, token });
  return { status };
}
