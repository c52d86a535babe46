import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Problem } from '#contract/errors';
import { createPublicCodes } from '#contract/public-codes';
import { SLUG_ALPHABET } from '#contract/slugs';
import { listActivities } from '#host/accounts/activities';
import { BATCHES_PER_ACCOUNT } from '#host/codes/limits';
import { insertLogo } from '#host/codes/logos/store';
import { codes, tags } from '#host/db/codes.tables';
import { idempotentRequests } from '#host/db/keys.tables';
import { consumeRateLimit } from '#host/http/rate-limit';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { Receivers, webhookCalls } from '../webhooks/receivers';

const receivers = new Receivers();
let host: TestHost;
let account: TestAccount;
let secret: string;
/** What is drawn at random next. */
let drawn: Uint8Array[] = [];
const call = callsOfPrograms(() => ({ host, secret }));
const webhooks = webhookCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost({
    requestPublic: receivers.requestPublic,
    random: (bytes) => drawn.shift() ?? randomBytes(bytes),
  });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  receivers.clear();
  account = await host.account();
  ({ secret } = await makeApiKey(host, account));
});
afterAll(() => host.close());

const link = (content = 'https://a.example/', more = {}) => ({ type: 'link', content, ...more });
const links = (count: number) =>
  Array.from({ length: count }, (_, index) => link(`https://a.example/${index}`));
const make = (sent: unknown, headers = {}, query = '') =>
  call('POST', `/codes/batch${query}`, { codes: sent }, headers);
const countCodes = () => host.db.orm.$count(codes, eq(codes.accountId, account.id));
const madeBy = (body: unknown) => createPublicCodes.response.parse(body).data.codes;

test('codes of every kind are made in the order in which they were sent, as by single calls', async () => {
  const [id, png] = [randomUUID(), Buffer.from('a picture')];
  const createdAt = host.clock.now();
  await insertLogo(host.db.orm, { id, accountId: account.id, name: 'mark.png', png, createdAt });
  const logo = { kind: 'upload', id, useWhiteBackground: true };
  const sent = [
    link('https://a.example/', { name: ' Table  7 ', tags: ['Menu', 'menu', 'Terrace'], logo }),
    { type: 'wifi', ssid: 'Café', security: 'nopass' },
    { type: 'email', content: 'a@b.example', subject: 'Hi', body: 'there', visibility: 'private' },
    link('https://a.example/', { tags: ['terrace'], campaign: { utm_source: '{name}' }, logo }),
    link('https://a.example/', { counted: false, style: { moduleShape: 'dots' } }),
  ];
  const single = [];
  for (const one of sent) single.push((await call('POST', '/codes', one)).body.data);
  const { status, body } = await make(sent);
  expect(status).toBe(201);
  const own = ({
    id: _id,
    link: _link,
    scanLink: _scan,
    beacon: _beacon,
    ...shared
  }: Record<string, unknown>) => shared;
  const made = madeBy(body);
  expect(made.map(own)).toEqual(single.map(own));
  const { body: listed } = await call('GET', '/codes?limit=5');
  expect(listed.data).toEqual([...made].reverse());
  const [first] = made;
  const visited = await host.request(new URL(first?.scanLink ?? '').pathname);
  expect([visited.status, visited.headers.get('location')]).toEqual([302, 'https://a.example/']);
  expect(new Set(made.map(({ scanLink }) => scanLink)).size).toBe(5);
});

test('a thousand codes are one activity of the account, one call of the limit, and in its counts', async () => {
  const { headers, body } = await make(links(1_000));
  expect(headers.get('ratelimit')).toBe('"default";r=299;t=60');
  expect(madeBy(body).map(({ content }) => content)).toEqual(links(1_000).map(({ content }) => content));
  const listed = await host.request('/api/qrcodes?page=100', { token: account.token });
  expect((await listed.json()).meta.total).toBe(1_000);
  // At the same time as the key was made.
  const activities = await listActivities(host.db.orm, account.id, 10);
  expect(activities.filter(({ type }) => type === 'qrcode_create')).toMatchObject([{ codes: 1_000 }]);
});

test('every mistake is reported at once with its place, and nothing is made', async () => {
  const { status, body } = await make([
    link(),
    link('no address', { name: 'x'.repeat(81) }),
    7,
    link('https://go.quadrille.example/r/abcdefgh', { logo: { kind: 'preset', name: 'nothing.svg' } }),
    { type: 'wifi', ssid: 'a', security: 'nopass', visibility: 'private', counted: false },
    link('https://a.example/', { logo: { kind: 'upload', id: '00000000-0000-4000-8000-000000000000' } }),
  ]);
  const { errors } = Problem.parse(body);
  expect([status, errors.map(({ pointer }) => pointer)]).toEqual([
    422,
    [
      '/codes/1/name',
      '/codes/1/content',
      '/codes/2',
      '/codes/3/content',
      '/codes/3/logo',
      '/codes/4/visibility',
      '/codes/4/counted',
      '/codes/5/logo',
    ],
  ]);
  for (const { message } of errors) expect(message).toMatch(/^[A-Z].*\.$/);
  expect(await countCodes()).toBe(0);
});

test.each([
  ['nothing', undefined, '/codes', 'codes_required', 1],
  ['no code', [], '/codes', 'codes_required', 1],
  ['an object', {}, '/codes', 'codes_required', 1],
  ['1,001 codes', links(1_001), '/codes', 'codes_too_many', 1],
  [
    'a code of more than 64 kB',
    [link('https://a.example/', { body: 'x'.repeat(65_536) })],
    '/codes/0',
    'code_too_large',
    1,
  ],
  ['150 mistakes', Array.from({ length: 150 }, () => link('')), '/codes/0/content', 'content_required', 100],
  [
    'many mistakes in a code',
    [link('https://a.example/', { tags: Array(9_000).fill(7) })],
    '/codes/0/tags/0',
    'invalid',
    100,
  ],
])('%s is refused', async (_, sent, pointer, code, count) => {
  const { status, body } = await make(sent);
  expect([status, body.errors[0], body.errors.length]).toEqual([
    422,
    { pointer, code, message: expect.stringMatching(/^[A-Z].*\.$/) },
    count,
  ]);
  expect(await countCodes()).toBe(0);
});

test('more tags than an account may have are refused for all codes', async () => {
  const tagged = Array.from({ length: 21 }, (_, index) =>
    link('https://a.example/', { tags: Array.from({ length: 10 }, (_, tag) => `tag ${index}-${tag}`) }),
  );
  const { status, body } = await make(tagged);
  expect([status, body.errors]).toMatchObject([422, [{ pointer: '/codes', code: 'account_tags_too_many' }]]);
  expect([await countCodes(), await host.db.orm.$count(tags, eq(tags.accountId, account.id))]).toEqual([
    0, 0,
  ]);
  expect((await make(tagged.slice(1))).status).toBe(201);
});

const once = { 'Idempotency-Key': 'stickers' };

test('a batch with an idempotency key takes effect once, also if its host was killed', async () => {
  const first = await make(links(3), once);
  const again = await make(links(3), once);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    first.text,
    'true',
  ]);
  const other = await make(links(2), once);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  await host.db.orm.update(idempotentRequests).set({ status: null, body: null });
  host.clock.advance(60_000);
  const resumed = await make(links(3), once);
  expect([resumed.status, resumed.body]).toEqual([201, first.body]);
  expect(await countCodes()).toBe(3);
});

test('dry_run checks a batch and makes nothing', async () => {
  const tried = await make(links(3), {}, '?dry_run=true');
  expect([tried.status, tried.body]).toEqual([200, { data: null, dryRun: true }]);
  const refused = await make([link(''), link()], {}, '?dry_run=true');
  expect(refused.body.errors).toMatchObject([{ pointer: '/codes/0/content' }]);
  expect(await countCodes()).toBe(0);
});

test('a key with a tag gives it to every code', async () => {
  ({ secret } = await makeApiKey(host, account, { tag: 'Menu' }));
  const { body } = await make([link(), link('https://b.example/', { tags: ['Terrace'] })]);
  expect(madeBy(body).map((code) => code.tags)).toEqual([['Menu'], ['Terrace', 'Menu']]);
  const full = Array.from({ length: 10 }, (_, index) => `t${index}`);
  const refused = await make([link(), link('https://b.example/', { tags: full })]);
  expect(refused.body.errors).toMatchObject([{ pointer: '/codes/1/tags', code: 'tags_too_many' }]);
});

test('webhooks are told of every code, and of none that was only tried or refused', async () => {
  await webhooks.make();
  await make(links(2), {}, '?dry_run=true');
  await make([link(), link('')]);
  await make([link('https://a.example/', { name: 'one' }), link('https://b.example/', { name: 'two' })]);
  await webhooks.deliver();
  const told = receivers.received.map(({ body }) => JSON.parse(body));
  expect(told.map(({ type, data }) => `${type} ${data.code.name}`).sort()).toEqual([
    'code.created one',
    'code.created two',
  ]);
});

test('an account has a hundred batches an hour, besides its single codes', async () => {
  const now = host.clock.now();
  for (let sent = 0; sent < 98; sent += 1)
    await consumeRateLimit(host.db.orm, BATCHES_PER_ACCOUNT, account.id, now);
  // What is no batch does not count, and one with a mistake does.
  for (const sent of [[], [link('')], {}]) await make(sent);
  expect((await make([link()])).status).toBe(201);
  const refused = await make([link()]);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  expect((await call('POST', '/codes', link())).status).toBe(201);
  expect(await countCodes()).toBe(2);
});

test('while a batch of an account is being made, another one is refused at once', async () => {
  const sent = await host.db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${account.id}, 5120731))`);
    return make([link()]);
  });
  expect([sent.status, sent.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await make([link()])).status).toBe(201);
  expect(await countCodes()).toBe(1);
});

test('a batch that came while another one was being made costs none of the hundred', async () => {
  const { now } = host.clock;
  for (let made = 0; made < 99; made += 1)
    await consumeRateLimit(host.db.orm, BATCHES_PER_ACCOUNT, account.id, now());
  await host.db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${account.id}, 5120731))`);
    for (const query of ['', '', '?dry_run=true']) expect((await make(links(1), {}, query)).status).toBe(429);
  });
  expect((await make(links(2))).status).toBe(201);
  expect(await countCodes()).toBe(2);
});

test('short addresses that are taken are not given again', async () => {
  const { slug } = await host.code(account.id);
  const taken = Uint8Array.from(slug, (letter) => SLUG_ALPHABET.indexOf(letter));
  const free = randomBytes(slug.length);
  drawn = [taken, free, taken, free];
  const { status, body } = await make(links(4));
  expect([status, new Set(madeBy(body).map(({ link }) => link)).size]).toEqual([201, 4]);
});
