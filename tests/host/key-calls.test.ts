import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '#contract/call';
import { insertLogo } from '#host/codes/logos/store';
import { webhookDeliveries, webhooks } from '#host/db/webhooks.tables';
import { makeApiKey } from '../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../support/host';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules)
  .flatMap((exported) => Object.values(exported).filter(isCall))
  .filter(({ answeredBy }) => answeredBy !== 'website');
const isOnlyPublic = ({ path }: Call) => path.startsWith('/api/v1/');

/** Every place where a call can be reached: its own path, and its public one. */
const places = calls.flatMap((call): { call: Call; path: string; isPublic: boolean }[] => [
  ...(call.access === 'public' || isOnlyPublic(call) ? [] : [{ call, path: call.path, isPublic: false }]),
  ...(isOnlyPublic(call) ? [{ call, path: call.path, isPublic: true }] : []),
  ...(call.publicPath ? [{ call, path: call.publicPath, isPublic: true }] : []),
]);
const titled = places.map((place) => [`${place.call.method} ${place.path}`, place] as const);

let host: TestHost;
let owner: TestAccount;
let keys: Record<
  'read' | 'change' | 'tagged' | 'stranger' | 'ended' | 'revoked' | 'erased' | 'earlier' | 'unsubscribed',
  string
>;
let wrong: Record<string, string>;

beforeAll(async () => {
  host = await createTestHost();
  const other = await host.account();
  const ended = await makeApiKey(host, other, { days: 1 });
  const gone = await host.account();
  const erased = await makeApiKey(host, gone);
  await host.request('/api/account', {
    method: 'DELETE',
    token: gone.token,
    body: JSON.stringify({ password: gone.password }),
  });
  const renewed = await makeApiKey(host, other);
  await host.request(`/api/account/keys/${renewed.id}/renew`, {
    method: 'POST',
    token: other.token,
    body: JSON.stringify({ overlap: 'none', currentPassword: other.password }),
  });
  host.clock.advance(25 * 3_600_000);
  owner = await host.account();
  const revoked = await makeApiKey(host, owner);
  await host.request(`/api/account/keys/${revoked.id}`, { method: 'DELETE', token: owner.token });
  const lapsed = await host.account({ access: false });
  keys = {
    read: (await makeApiKey(host, owner, { permission: 'read' })).secret,
    change: (await makeApiKey(host, owner)).secret,
    tagged: (await makeApiKey(host, owner, { tag: 'Menu' })).secret,
    stranger: (await makeApiKey(host, await host.account())).secret,
    unsubscribed: (await makeApiKey(host, lapsed)).secret,
    ended: ended.secret,
    revoked: revoked.secret,
    erased: erased.secret,
    earlier: renewed.secret,
  };
  const { read } = keys;
  const last = read.endsWith('A') ? 'B' : 'A';
  wrong = {
    ended: keys.ended,
    revoked: keys.revoked,
    'of an erased account': keys.erased,
    'from before a renewal': keys.earlier,
    'with a wrong checksum': read.slice(0, -1) + last,
    'with another prefix': read.replace('qdr_', 'qdx_'),
    'too short': read.slice(0, -1),
    'in other letters': read.toUpperCase().replace('QDR_', 'qdr_'),
  };
});
afterAll(() => host.close());

async function ask(
  { call, path }: (typeof places)[number],
  token: string,
  { id = randomUUID(), sent }: { id?: string | undefined; sent?: string } = {},
) {
  // A minute later, so that no key comes to its limit.
  host.clock.advance(61_000);
  const isForm = call.form !== undefined;
  const body = isForm ? formOf(call.name) : JSON.stringify(BODIES[call.name] ?? {});
  const answered = await host.request(
    path
      .replace('{file}', FILES[call.name] ?? 'x')
      .replace('{rule}', '1')
      .replace(/\{\w+\}/g, id),
    {
      method: call.method,
      token,
      ...(call.method !== 'GET' && { body: sent ?? body }),
    },
  );
  return { status: answered.status, text: await answered.text(), headers: answered.headers };
}

test('the table has every call that a key may make, and only guarded ones', () => {
  expect(places.filter(({ isPublic }) => isPublic).length).toBeGreaterThan(25);
  for (const { call, isPublic } of places)
    if (isPublic) expect([call.name, call.key]).not.toContain(undefined);
  const forbidden = [
    '/api/account',
    '/api/subscriptions',
    '/api/invoices',
    '/api/login',
    '/api/transactions',
  ];
  const open = calls.filter(({ key, path }) => key && forbidden.some((start) => path.startsWith(start)));
  expect(open.map(({ name }) => name)).toEqual([]);
});

test.each(titled)('%s refuses every wrong key, and a session where only keys belong', async (_, place) => {
  for (const [kind, token] of Object.entries(wrong))
    expect([kind, (await ask(place, token, { sent: '{"broken' })).status]).toEqual([kind, 401]);
  if (place.isPublic) expect((await ask(place, owner.token)).status).toBe(401);
});

test.each(titled)('%s allows each key what its permission and its tag allow', async (_, place) => {
  const { name, key, wholeAccount, access } = place.call;
  // Only deletion needs none, as for a session.
  const needsSubscription = access === 'subscriber' || name === 'startBulkAct';
  const isAllowed = async (token: string) => (await ask(place, token)).status !== 403;
  expect({
    read: await isAllowed(keys.read),
    change: await isAllowed(keys.change),
    tagged: await isAllowed(keys.tagged),
  }).toEqual({
    read: key === 'read',
    change: key !== undefined,
    tagged: key !== undefined && !wholeAccount,
  });
  const { status } = await ask(place, keys.unsubscribed);
  expect(status === 402).toBe(key !== undefined && needsSubscription);
});

type Thing = { inside: string; outside: string };

/** By the path that is about them: a thing with the tag of the key, and one of the same account without it. */
const THINGS: [path: RegExp, make: () => Promise<Thing>][] = [
  [
    /\/(?:qrcodes|codes)\/\{id\}\/deletion$/,
    async () => {
      const [inside, outside] = [await codeWith(['Menu']), await codeWith([])];
      await host.request(`/api/qrcodes/${outside}`, { method: 'DELETE', token: owner.token });
      return { inside, outside };
    },
  ],
  [
    /\/(?:qrcodes|codes)\/\{id\}/,
    async () => ({ inside: await codeWith(['menu']), outside: await codeWith([]) }),
  ],
  [
    /\/imports\/\{id\}/,
    async () => ({ inside: await importBy(keys.tagged), outside: await importBy(keys.change) }),
  ],
  [
    /\/jobs\/\{id\}\/codes\.csv/,
    async () => ({
      inside: await startedBy(keys.tagged, await importBy(keys.tagged)),
      outside: await startedBy(keys.change, await importBy(keys.change)),
    }),
  ],
  [
    /\/webhooks\/\{id\}/,
    async () => {
      await host.db.orm.delete(webhooks);
      return { inside: await webhookFor('menu'), outside: await webhookFor('') };
    },
  ],
  [/\/jobs\/\{id\}/, async () => ({ inside: await jobBy(keys.tagged), outside: await jobBy(keys.change) })],
];

test.each(titled.filter(([, { call, path }]) => call.key && THINGS.some(([about]) => about.test(path))))(
  '%s finds with a tag only what has it',
  async (_, place) => {
    const [, make] = THINGS.find(([about]) => about.test(place.path)) ?? [];
    const things = await make?.();
    const isDeletion = place.path.endsWith('/deletion');
    for (const id of [things?.inside, 'nonsense', '%00'])
      expect([id, (await ask(place, keys.stranger, { id })).status]).toEqual([id, 404]);
    expect((await ask(place, keys.tagged, { id: things?.outside })).status).toBe(404);
    if (isDeletion) return;
    expect((await ask(place, keys.tagged, { id: things?.inside })).status).toBeLessThan(300);
    expect((await ask(place, keys.change, { id: things?.outside })).status).toBeLessThan(300);
  },
);

async function codeWith(tags: string[]): Promise<string> {
  const logo = { id: randomUUID(), name: 'mark.png', png: Buffer.from(randomUUID()) };
  await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
  const { id } = await host.code(owner.id, { logoId: logo.id, tags });
  const body = JSON.stringify(RULE);
  await host.request(`/api/qrcodes/${id}/rules`, { method: 'POST', token: owner.token, body });
  return id;
}

/** With a message that has its id, as both are put in the path. */
async function webhookFor(tag: string): Promise<string> {
  const wanted = { url: 'https://hooks.program.com/', events: ['code.created'], tag };
  const body = JSON.stringify({ ...wanted, currentPassword: owner.password });
  const made = await host.request('/api/webhooks', { method: 'POST', body, token: owner.token });
  const { id } = (await made.json()).data;
  await codeWith(['Menu']);
  await host.db.orm.update(webhookDeliveries).set({ id }).where(eq(webhookDeliveries.webhookId, id));
  return id;
}

async function importBy(token: string): Promise<string> {
  host.clock.advance(3_600_000);
  const sent = await host.request('/api/v1/imports', { method: 'POST', body: formOf('createImport'), token });
  return (await sent.json()).data.id;
}

async function startedBy(token: string, id: string): Promise<string> {
  const started = await host.request(`/api/v1/imports/${id}/start`, { method: 'POST', body: '{}', token });
  const job = (await started.json()).data.id;
  await host.request(`/api/v1/jobs/${job}/stop`, { method: 'POST', token });
  return job;
}

async function jobBy(token: string): Promise<string> {
  const body = JSON.stringify({ act: 'archive', filter: { search: 'nothing like it' } });
  const started = await host.request('/api/v1/jobs', { method: 'POST', body, token });
  return (await started.json()).data.id;
}

const FILES: Record<string, string> = { exportStatistics: 'daily.csv' };
const RULE = {
  variants: [
    { target: 'https://a.example/', percent: 50 },
    { target: 'https://b.example/', percent: 50 },
  ],
};
const BODIES: Record<string, unknown> = {
  addRule: { variants: [{ target: 'https://c.example/' }] },
  changeRule: RULE,
  moveRule: { position: 1 },
  keepVariant: { route: 2 },
  createPublicCode: { type: 'text', content: 'hello' },
  createPublicCodes: { codes: [{ type: 'text', content: 'hello' }] },
  startBulkAct: { act: 'archive', filter: { search: 'nothing like it' } },
  saveStyle: { name: 'Terrace', style: {} },
  updateCode: { name: 'Table 7' },
  createWebhook: { url: 'https://hooks.program.com/', events: ['code.created'] },
  updateWebhook: { enabled: true },
};

function formOf(name: string): FormData {
  const form = new FormData();
  if (name === 'createCode') {
    form.set('type', 'text');
    form.set('data', 'hello');
    return form;
  }
  const file = new File([`url\nhttps://a.example/${randomUUID()}\n`], 'codes.csv');
  form.set(name === 'uploadLogo' ? 'logo' : 'file', file);
  return form;
}

function isCall(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
