import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '#contract/call';
import { createTestHost, type TestAccount, type TestHost } from '../support/host';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules).flatMap((exported) => Object.values(exported).filter(isCall));
const guarded = calls.filter(({ access }) => access !== 'public');
const owned = guarded.filter(({ path }) => path.includes('{'));

const ADDRESS = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };

/** Something of the owner that another account must not find, by the start of its path. */
const OWNED_THINGS: Record<string, (host: TestHost, owner: TestAccount) => Promise<string>> = {
  '/api/qrcodes/{id}': async (host, owner) => (await host.code(owner.id)).id,
  '/api/account/billing-addresses/{id}': async (host, owner) => {
    const made = await host.request('/api/account/billing-addresses', {
      method: 'POST',
      token: owner.token,
      body: JSON.stringify(ADDRESS),
    });
    return (await made.json()).data.id;
  },
  '/api/account/sessions/{id}': async (host, owner) => {
    const listed = await host.request('/api/account/sessions', { token: owner.token });
    return (await listed.json()).data[0].id;
  },
};

/** A body that passes, where a call with an id has one. */
const BODIES: Record<string, unknown> = { updateAddress: ADDRESS, updateCode: { visibility: 'private' } };

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

test('the table knows every call of the contract', () => {
  expect(calls.length).toBeGreaterThan(25);
  expect(guarded.length).toBeGreaterThan(15);
  expect(new Set(calls.map(({ name }) => name)).size).toBe(calls.length);
  expect(new Set(calls.map(({ method, path }) => `${method} ${path}`)).size).toBe(calls.length);
});

test.each(guarded.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s refuses every token that does not hold, before it reads anything',
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
        ...{ kind, status: 401 },
        ...{ message: 'Expired JWT Token', code: 'unauthenticated' },
      });
    }
  },
);

test.each(guarded.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s names its refusals in the contract',
  (_, call) => {
    expect(call.errors).toContain('unauthenticated');
    if (call.path.includes('{')) expect(call.errors).toContain('not_found');
    if (call.access === 'subscriber') expect(call.errors).toContain('subscription_required');
  },
);

test.each(owned.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s does not find what belongs to someone else, what is gone, and what cannot be',
  async (_, call) => {
    const kind = Object.keys(OWNED_THINGS).find((start) => call.path.startsWith(start));
    const theirs = await OWNED_THINGS[kind ?? '']?.(host, owner);
    const ids = [theirs ?? randomUUID(), randomUUID(), 'nonsense', '%00', "1'--"];
    for (const id of ids) {
      const answered = await host.request(call.path.replace(/\{\w+\}/, id), {
        method: call.method,
        token: stranger.token,
        ...(call.body && { body: JSON.stringify(BODIES[call.name] ?? {}) }),
      });
      expect({ id, status: answered.status }).toEqual({ id, status: 404 });
    }
  },
);

test.each(
  guarded
    .filter(({ access }) => access === 'subscriber')
    .map((call) => [`${call.method} ${call.path}`, call] as const),
)('%s asks for a running subscription', async (_, call) => {
  const lapsed = await host.account({ access: false });
  const form = new FormData();
  form.set('type', 'text');
  form.set('data', 'hello');
  const answered = await host.request(call.path.replace(/\{\w+\}/, randomUUID()), {
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
