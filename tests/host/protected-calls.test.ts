import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '#contract/call';
import { insertPasskey } from '#host/accounts/passkeys';
import { transferDraft } from '#host/codes/drafts/store';
import { insertLogo } from '#host/codes/logos/store';
import { identities } from '#host/db/accounts.tables';
import { webhookDeliveries } from '#host/db/webhooks.tables';
import { listHeldOrders } from '#host/subscriptions/order/store';
import { makeApiKey } from '../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../support/host';
import { buy, checkout, enterCard, onboard, placeOrder, transactions, view } from '../support/ordering';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules).flatMap((exported) => Object.values(exported).filter(isCall));
// Calls for programs only are in the table of `key-calls.test.ts`.
const guarded = calls.filter(({ access, path }) => access !== 'public' && !path.startsWith('/api/v1/'));
// A `file` is one of a few names, the same for every account.
const owned = guarded.filter(({ path }) => path.includes('{') && !path.includes('{file}'));

interface Owned {
  id: string;
  token: string;
}

const VISITOR = 'the key of one browser, long enough';
const RULE = { variants: [{ target: 'https://a.example/' }] };
const ADDRESS = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };

async function sendImport(host: TestHost, token: string): Promise<string> {
  const body = new FormData();
  body.set('file', new File(['url\nhttps://a.example/\n'], 'codes.csv'));
  const sent = await host.request('/api/imports', { method: 'POST', body, token });
  return (await sent.json()).data.id;
}

/** By path prefix: creates an object that other accounts must not find, and returns its owner’s token with it. */
const OWNED_THINGS: Record<string, (host: TestHost, owner: TestAccount) => Promise<Owned>> = {
  '/api/qrcodes/{id}/deletion': async (host, { id, token }) => {
    const code = await host.code(id);
    await host.request(`/api/qrcodes/${code.id}`, { method: 'DELETE', token });
    return { id: code.id, token };
  },
  '/api/drafts/{id}': async (host, { id, token }) => {
    const form = new FormData();
    form.set('visitor', VISITOR);
    form.set('fields', '{"type":"text"}');
    const kept = await host.request('/api/drafts', { method: 'POST', body: form });
    const draft = (await kept.json()).data.id;
    await transferDraft(host.db.orm, draft, id, host.clock.now());
    return { id: draft, token };
  },
  '/api/qrcodes/{id}/rules/{rule}': async (host, { id, token }) => {
    const code = await host.code(id);
    const body = JSON.stringify(RULE);
    await host.request(`/api/qrcodes/${code.id}/rules`, { method: 'POST', token, body });
    return { id: code.id, token };
  },
  '/api/qrcodes/{id}': async (host, { id, token }) => {
    const logo = { id: randomUUID(), name: 'mark.png', png: Buffer.from('a picture') };
    await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
    return { id: (await host.code(id, { logoId: logo.id })).id, token };
  },
  '/api/logos/{id}': async (host, { id, token }) => {
    const logo = { id: randomUUID(), accountId: id, name: 'mark.png', png: Buffer.from('a picture') };
    await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
    return { id: logo.id, token };
  },
  '/api/jobs/{id}/codes.csv': async (host, { token }) => {
    const started = await host.request(`/api/imports/${await sendImport(host, token)}/start`, {
      method: 'POST',
      token,
      body: '{}',
    });
    return { id: (await started.json()).data.id, token };
  },
  '/api/webhooks/{id}': async (host, { id: accountId, token, password }) => {
    const wanted = { url: 'https://hooks.program.com/', events: ['code.created'] };
    const made = await host.request('/api/webhooks', {
      method: 'POST',
      token,
      body: JSON.stringify({ ...wanted, currentPassword: password }),
    });
    const { id } = (await made.json()).data;
    await host.code(accountId);
    // One id for both, as both are put in the path.
    await host.db.orm.update(webhookDeliveries).set({ id }).where(eq(webhookDeliveries.webhookId, id));
    return { id, token };
  },
  '/api/jobs/{id}': async (host, { token }) => {
    const body = JSON.stringify({ act: 'archive', filter: {} });
    const started = await host.request('/api/jobs', { method: 'POST', token, body });
    return { id: (await started.json()).data.id, token };
  },
  '/api/imports/{id}': async (host, { token }) => ({ id: await sendImport(host, token), token }),
  '/api/account/billing-addresses/{id}': async (host, { token }) => {
    const made = await host.request('/api/account/billing-addresses', {
      method: 'POST',
      token,
      body: JSON.stringify(ADDRESS),
    });
    return { id: (await made.json()).data.id, token };
  },
  '/api/styles/{id}': async (host, { token }) => {
    const body = JSON.stringify({ name: 'Terrace', style: {} });
    const saved = await host.request('/api/styles', { method: 'POST', token, body });
    return { id: (await saved.json()).data.id, token };
  },
  '/api/account/sessions/{id}': async (host) => {
    // A new owner, because the call ends the session.
    const { token } = await host.account();
    const listed = await host.request('/api/account/sign-in', { token });
    return { id: (await listed.json()).data.sessions[0].id, token };
  },
  '/api/account/identities/{id}': async (host, { id, token }) => {
    const made = { issuer: 'https://accounts.google.com', subject: randomUUID(), accountId: id };
    const [identity] = await host.db.orm
      .insert(identities)
      .values({ ...made, createdAt: host.clock.now() })
      .returning();
    return { id: identity?.id ?? '', token };
  },
  '/api/account/declarations/{id}': async (host) => {
    const { email, body } = await buy(host);
    const token = await onboard(host, email);
    const declared = { name: body.name, email, confirmed: true };
    await host.request('/api/contract/cancel', { method: 'POST', body: JSON.stringify(declared) });
    await host.runBilling();
    return { id: (await view(host, token)).declarations[0]?.id ?? '', token };
  },
  '/api/account/orders/{id}': async (host) => {
    const { email, token } = await host.account({ access: false });
    const { redirectUrl } = await placeOrder(host, checkout({ email }));
    await enterCard(host, redirectUrl);
    const [held] = await listHeldOrders(host.db.orm, email);
    return { id: held?.id ?? '', token };
  },
  '/api/account/keys/{id}': async (host, owner) => ({
    id: (await makeApiKey(host, owner)).id,
    token: owner.token,
  }),
  '/api/reports/{id}': async (host, { token }) => {
    const body = JSON.stringify({ name: 'Client', filter: {}, days: 30 });
    const made = await host.request('/api/reports', { method: 'POST', token, body });
    return { id: (await made.json()).data.id, token };
  },
  '/api/account/passkeys/{id}': async (host, { id: accountId, token }) => {
    const [id, now] = [randomUUID(), host.clock.now()];
    const keys = { credentialId: id, publicKey: new Uint8Array(), counter: 0, transports: [] };
    const row = { id, accountId, ...keys, name: 'Phone', createdAt: now, lastUsedAt: null };
    await insertPasskey(host.db.orm, row);
    return { id, token };
  },
  '/api/invoices/{file}': async (host) => {
    const { email } = await buy(host, { trial: false });
    const token = await onboard(host, email);
    const [charge] = await transactions(host, token);
    return { id: charge?.invoice?.path.split('/').at(-1) ?? '', token };
  },
};

/** A valid body for each call with an id and a body. */
const BODIES: Record<string, unknown> = {
  updateAddress: ADDRESS,
  createWebhook: { url: 'https://hooks.program.com/', events: ['code.created'] },
  updateWebhook: { enabled: true },
  compareStatistics: { columns: [{}, {}] },
  shareReport: { name: 'Client', filter: {}, days: 30 },
  updateCode: { visibility: 'private' },
  addRule: RULE,
  changeRule: RULE,
  moveRule: { position: 1 },
  keepVariant: { route: 2 },
  claimDraft: { visitor: VISITOR },
  previewRetarget: { retarget: { kind: 'set', target: 'https://destination.example/' }, filter: {} },
  saveStyle: { name: 'Terrace', style: {} },
  updateStyle: { isDefault: true },
  renamePasskey: { name: 'Laptop' },
  rotateWebhook: { currentPassword: 'correct horse battery staple' },
  changeKey: { currentPassword: 'correct horse battery staple', name: 'Shop', origins: [] },
  renewKey: { currentPassword: 'correct horse battery staple', overlap: 'day' },
  removePasskey: { currentPassword: 'correct horse battery staple' },
  unlinkIdentity: { currentPassword: 'correct horse battery staple' },
  decideOwnDeclaration: { decision: 'undo' },
  decideOwnOrder: { decision: 'discard' },
};

let host: TestHost;
let owner: TestAccount;
let stranger: TestAccount;
let badTokens: Record<string, string | undefined>;

beforeAll(async () => {
  host = await createTestHost();
  const revoked = await host.account();
  await host.request('/api/account/logout', { method: 'POST', token: revoked.token });
  const erased = await host.account();
  await host.request('/api/account', {
    method: 'DELETE',
    token: erased.token,
    body: JSON.stringify({ password: erased.password }),
  });
  const expired = await host.account();
  host.clock.advance(31 * 24 * 3_600_000);
  owner = await host.account();
  stranger = await host.account();
  const [header, payload, signature = ''] = owner.token.split('.');
  badTokens = {
    missing: undefined,
    malformed: 'not-a-token',
    tampered: `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    expired: expired.token,
    revoked: revoked.token,
    'of an erased account': erased.token,
  };
});
afterAll(() => host.close());

test('the table covers every call of the contract', () => {
  expect(calls.length).toBeGreaterThan(25);
  expect(guarded.length).toBeGreaterThan(15);
  expect(new Set(calls.map(({ name }) => name)).size).toBe(calls.length);
  expect(new Set(calls.map(({ method, path }) => `${method} ${path}`)).size).toBe(calls.length);
});

test.each(guarded.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s refuses every invalid token before it reads the body',
  async (_, call) => {
    for (const [kind, token] of Object.entries(badTokens)) {
      const path = call.path.replace(/\{\w+\}/g, randomUUID());
      const answered = await host.request(path, {
        method: call.method,
        ...(token !== undefined && { token }),
        ...(call.method !== 'GET' && { body: '{"broken' }),
      });
      const { message, code } = await answered.json();
      expect({ kind, status: answered.status, message, code }).toEqual({
        kind,
        status: 401,
        message: 'Expired JWT Token',
        code: 'unauthenticated',
      });
    }
  },
);

test.each(guarded.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s lists its errors in the contract',
  (_, call) => {
    expect(call.errors).toContain('unauthenticated');
    if (call.path.includes('{')) expect(call.errors).toContain('not_found');
    if (call.access === 'subscriber') expect(call.errors).toContain('subscription_required');
  },
);

test.each(owned.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s does not find objects of other accounts, deleted ones and invalid ids',
  async (_, call) => {
    const kind = Object.keys(OWNED_THINGS).find((start) => call.path.startsWith(start)) ?? '';
    expect(OWNED_THINGS, 'an object for this call').toHaveProperty([kind]);
    const theirs = await OWNED_THINGS[kind]?.(host, owner);
    const ask = (id: string, token: string) =>
      host.request(call.path.replace('{rule}', '1').replace(/\{\w+\}/g, id), {
        method: call.method,
        token,
        ...(call.body && { body: JSON.stringify(BODIES[call.name] ?? {}) }),
      });
    const ids = [theirs?.id ?? '', randomUUID(), 'nonsense', '%00', "1'--"];
    for (const id of ids) {
      expect({ id, status: (await ask(id, stranger.token)).status }).toEqual({ id, status: 404 });
    }
    // Its owner still finds it.
    expect((await ask(theirs?.id ?? '', theirs?.token ?? '')).status).toBeLessThan(300);
  },
);

test.each(
  guarded
    .filter(({ access }) => access === 'subscriber')
    .map((call) => [`${call.method} ${call.path}`, call] as const),
)('%s requires an active subscription', async (_, call) => {
  const lapsed = await host.account({ access: false });
  const form = new FormData();
  form.set('type', 'text');
  form.set('data', 'hello');
  form.set(
    call.path === '/api/logos' ? 'logo' : 'file',
    new File(['url\nhttps://a.example/\n'], 'codes.csv'),
  );
  const answered = await host.request(call.path.replace('{rule}', '1').replace(/\{\w+\}/g, randomUUID()), {
    method: call.method,
    token: lapsed.token,
    ...(call.form ? { body: form } : call.body ? { body: JSON.stringify(BODIES[call.name] ?? {}) } : {}),
  });
  expect(answered.status).toBe(402);
});

function isCall(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
