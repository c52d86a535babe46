import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { accounts } from '#host/db/accounts.tables';
import { codes, drafts } from '#host/db/codes.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { brokenBodies, mailedToken, NON_OBJECT_BODIES, send, subjectsTo } from '../../support/json-calls';

const PASSWORD = 'three quiet lamps over water';
const GOOD = {
  token: 'x'.repeat(43),
  firstName: 'Ada',
  lastName: 'Byron',
  password: PASSWORD,
  confirmPassword: PASSWORD,
};

let host: TestHost;
let buyers = 0;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function buy(fields: { draftId?: string; locale?: 'gb' | 'fr'; name?: string } = {}) {
  buyers += 1;
  const email = `buyer-${buyers}@shop.example`;
  const made = await host.db.orm.transaction((transaction) =>
    createOnboarding(transaction, host.deps, { email, locale: 'gb', ...fields }, host.clock.now()),
  );
  return { email, ...made };
}

async function keepDraft(fields: Record<string, unknown>) {
  const form = new FormData();
  form.set('visitor', 'a browser with a long random key');
  form.set('fields', JSON.stringify(fields));
  const answered = await host.request('/api/drafts', { method: 'POST', body: form });
  const { data } = await answered.json();
  return String(data.id);
}

function onboard(body: unknown, address = '203.0.113.1') {
  return send(host, 'POST', '/api/account/onboarding', body, { headers: { 'x-client-ip': address } });
}

test('a buyer sets name and password through the mailed link and is signed in', async () => {
  const { email } = await buy({ locale: 'fr' });
  expect(await subjectsTo(host, email)).toEqual(['Finalisez la création de votre compte']);
  const token = await mailedToken(host, email);
  const answered = await onboard({ ...GOOD, token, locale: 'fr' });
  expect(answered.status).toBe(200);
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: answered.body.token });
  expect(profile.body.data).toMatchObject({ firstName: 'Ada', lastName: 'Byron', email });
  const signedIn = await send(host, 'POST', '/api/login_check', { email, password: PASSWORD });
  expect(signedIn.status).toBe(200);
  const [account] = await host.db.orm.select().from(accounts).where(eq(accounts.email, email));
  expect(account?.locale).toBe('fr');
});

test('the design saved before buying becomes the first code', async () => {
  const draftId = await keepDraft({ type: 'link', content: 'example.org/menu' });
  const { accountId, token } = await buy({ draftId });
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
  const made = await host.db.orm.select().from(codes).where(eq(codes.accountId, accountId));
  expect(made).toMatchObject([{ type: 'link', content: 'https://example.org/menu', visibility: 'public' }]);
  expect(await host.db.orm.select().from(drafts).where(eq(drafts.id, draftId))).toEqual([]);
});

test('a saved Wi-Fi design becomes the string with which phones join the network', async () => {
  const draftId = await keepDraft({
    type: 'wifi',
    ssid: 'Café; "Nord"',
    passphrase: 'salt:and\\light',
    security: 'WPA',
    hidden: true,
  });
  const { accountId, token } = await buy({ draftId });
  await onboard({ ...GOOD, token });
  const [made] = await host.db.orm.select().from(codes).where(eq(codes.accountId, accountId));
  expect(made?.content).toBe('WIFI:T:WPA;S:Café\\; \\"Nord\\";P:salt\\:and\\\\light;H:true;;');
});

test('a design that is not yet valid stays a draft and does not stop onboarding', async () => {
  const draftId = await keepDraft({ type: 'email', content: 'not an address' });
  const { accountId, token } = await buy({ draftId });
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
  expect(await host.db.orm.select().from(codes).where(eq(codes.accountId, accountId))).toEqual([]);
  expect(await host.db.orm.select().from(drafts).where(eq(drafts.id, draftId))).toHaveLength(1);
});

test('a link works once, and says so afterwards', async () => {
  const { token } = await buy();
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
  host.clock.advance(60_001);
  const again = await onboard({ ...GOOD, token });
  expect(again.status).toBe(422);
  expect(again.body.errors).toEqual({ token: ['token_used'] });
});

test('a form posted again by a double click gets the response of the first post', async () => {
  const { email, token } = await buy();
  await onboard({ ...GOOD, token });
  host.clock.advance(59_000);
  const again = await onboard({ ...GOOD, firstName: 'Other', token });
  expect(again.status).toBe(200);
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: again.body.token });
  expect(profile.body.data).toMatchObject({ email, firstName: GOOD.firstName });
});

test('a used link with a different password signs nobody in', async () => {
  const { token } = await buy();
  await onboard({ ...GOOD, token });
  const other = { password: 'squared paper 9x9', confirmPassword: 'squared paper 9x9' };
  const again = await onboard({ ...GOOD, ...other, token });
  expect(again.status).toBe(422);
  expect(again.body.errors).toEqual({ token: ['token_used'] });
});

test('a link expires after seven days, and when a newer one replaces it', async () => {
  const { email, token: first } = await buy();
  host.clock.advance(1000);
  await send(host, 'POST', '/api/account/onboarding/resend', { token: first });
  const second = await mailedToken(host, email);
  expect(second).not.toBe(first);
  expect((await onboard({ ...GOOD, token: first })).body.errors).toEqual({ token: ['token_expired'] });
  host.clock.advance(7 * 24 * 3_600_000);
  expect((await onboard({ ...GOOD, token: second })).body.errors).toEqual({ token: ['token_expired'] });
});

test('a link that was never mailed is unknown', async () => {
  expect((await onboard(GOOD)).body.errors).toEqual({ token: ['token_unknown'] });
  const { token } = await buy();
  const reset = await send(host, 'POST', '/api/account/reset-password', { ...GOOD, token });
  expect(reset.body.errors).toEqual({ token: ['token_unknown'] });
});

test('of two concurrent onboardings with one link and different passwords one signs in, and creates one code', async () => {
  const draftId = await keepDraft({ type: 'text', content: 'hello' });
  const { accountId, token } = await buy({ draftId });
  const answers = await Promise.all([
    onboard({ ...GOOD, token }),
    onboard({ ...GOOD, token, password: 'another paper', confirmPassword: 'another paper' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(answers.find(({ status }) => status === 422)?.body.errors).toEqual({ token: ['token_used'] });
  expect(await host.db.orm.select().from(codes).where(eq(codes.accountId, accountId))).toHaveLength(1);
});

test('a resent link still turns the design into a code', async () => {
  const draftId = await keepDraft({ type: 'text', content: 'still here' });
  const { email, accountId } = await buy({ draftId });
  host.clock.advance(1000);
  await send(host, 'POST', '/api/account/onboarding/resend', { email });
  await onboard({ ...GOOD, token: await mailedToken(host, email) });
  expect(await host.db.orm.select().from(codes).where(eq(codes.accountId, accountId))).toHaveLength(1);
});

test('a resend request gets the same response for a buyer, a customer and a stranger', async () => {
  const { email } = await buy();
  const customer = await host.account();
  const requested = [];
  for (const to of [email, customer.email, 'stranger@nowhere.example']) {
    const answered = await send(host, 'POST', '/api/account/onboarding/resend', { email: to });
    requested.push([answered.status, answered.body]);
  }
  expect(requested[1]).toEqual(requested[0]);
  expect(requested[2]).toEqual(requested[0]);
  expect(await subjectsTo(host, customer.email)).toEqual(['Your account is already set up']);
  expect(await subjectsTo(host, 'stranger@nowhere.example')).toEqual([]);
});

test('buying again with a known address creates no second account and no link', async () => {
  const customer = await host.account();
  const again = await createOnboarding(
    host.db.orm,
    host.deps,
    { email: customer.email.toUpperCase(), locale: 'gb' },
    host.clock.now(),
  );
  expect(again).toEqual({ accountId: customer.id, isNew: false, token: null });
  expect(await subjectsTo(host, customer.email.toUpperCase())).toEqual([
    'Your order has been added to your existing account',
  ]);
});

test('a link that is used in an account somebody has signed in to ends the sessions and notifies the owner', async () => {
  const { email, accountId, token } = await buy();
  const session = await host.token(accountId, email);
  host.clock.advance(1000);
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
  expect((await send(host, 'GET', '/api/account/profile', undefined, { token: session })).status).toBe(401);
  expect(await subjectsTo(host, email)).toEqual([
    'Your password was changed',
    'Finish setting up your account',
  ]);
});

test('checking whether a link still works does not use it up', async () => {
  const { email, token } = await buy({ name: ' Ada  King Lovelace ' });
  const ask = () => send(host, 'POST', '/api/account/mail-token', { token, purpose: 'onboarding' });
  // The names of the order need not be typed again.
  expect((await ask()).body.data).toEqual({ email, firstName: 'Ada', lastName: 'King Lovelace' });
  expect((await ask()).status).toBe(200);
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
  expect((await ask()).body.errors).toEqual({ token: ['token_used'] });
});

const TEXT_FIELDS = ['token', 'firstName', 'lastName', 'password', 'confirmPassword'] as const;
test.each(brokenBodies(GOOD, [...TEXT_FIELDS]))(
  'onboarding refuses %s that is %s',
  async (field, _, body) => {
    const answered = await onboard(body, '203.0.113.2');
    expect(answered.status).toBe(422);
    expect(Object.keys(answered.body.errors ?? {})).toContain(
      field === 'password' && body.password === '' ? 'password' : field,
    );
    host.clock.advance(600_000);
  },
);

test.each(NON_OBJECT_BODIES)('onboarding refuses a body that is %s', async (_, text, status) => {
  expect((await onboard(text)).status).toBe(status);
});

test.each([
  ['too short', { password: 'Kurz-7!', confirmPassword: 'Kurz-7!' }, { password: ['password_too_short'] }],
  ['typed differently', { confirmPassword: `${PASSWORD}.` }, { confirmPassword: ['passwords_differ'] }],
  [
    'everybody’s',
    { password: 'P@ssw0rd123', confirmPassword: 'P@ssw0rd123' },
    { password: ['password_common'] },
  ],
])('onboarding refuses a password that is %s and keeps the link', async (_, fields, errors) => {
  const { token } = await buy();
  expect((await onboard({ ...GOOD, token, ...fields })).body.errors).toEqual(errors);
  expect((await onboard({ ...GOOD, token })).status).toBe(200);
});

test('guessing links is rate limited per client', async () => {
  const guess = () => onboard(GOOD, '198.51.100.9');
  for (let turn = 0; turn < 60; turn += 1) expect((await guess()).status).toBe(422);
  const refused = await guess();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
