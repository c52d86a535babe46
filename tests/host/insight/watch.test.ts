import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { accounts } from '#host/db/accounts.tables';
import { destinations } from '#host/db/insight.tables';
import {
  type PublicRequest,
  PublicRequestError,
  type PublicRequestFailure,
  type PublicResponse,
} from '#host/http/public-request';
import { runInsightMails } from '#host/insight/jobs';
import { collectDestinations, createDestinationCheck } from '#host/insight/watch/check';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

interface Response {
  status: number;
  location?: string;
  body?: string;
}
type Answer = number | PublicRequestFailure | Response;
type Answers = Record<string, Answer>;

let host: TestHost;
let owner: TestAccount;
let asked: { method: string; address: string; agent: string }[];
/** By address, or by method and address; everything else answers 200, and no site has a robots.txt. */
let answers: Answers;
let answering: () => Promise<unknown>;

beforeAll(async () => {
  host = await createTestHost({ requestPublic: respond });
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  await host.db.orm.execute(
    'delete from destinations; delete from jobs; delete from code_changes; delete from codes; delete from rate_limits',
  );
  [asked, answers, answering] = [[], {}, async () => {}];
  owner = await host.account();
  await host.db.orm.update(accounts).set({ lastLoginAt: START }).where(eq(accounts.id, owner.id));
});

async function respond(address: string, request: PublicRequest = {}): Promise<PublicResponse> {
  const { method = 'GET', headers = {} } = request;
  asked.push({ method, address, agent: headers['User-Agent'] ?? '' });
  await answering();
  const usual = address.endsWith('/robots.txt') ? 404 : 200;
  const answer = answers[`${method} ${address}`] ?? answers[address] ?? usual;
  if (typeof answer === 'string') throw new PublicRequestError(answer);
  const { status, location, body = '' }: Response = typeof answer === 'number' ? { status: answer } : answer;
  return { status, headers: location ? { location } : {}, body: Buffer.from(body) };
}

const wait = async (ms: number) => host.clock.advance(ms);
const newCheck = () => createDestinationCheck(host.deps, wait);

/** As the hosts do it, each in time. */
async function lookAfter(hours: number): Promise<void> {
  host.clock.advance(hours * HOUR_MS);
  await collectDestinations(host.db.orm, host.clock.now());
  await newCheck()();
  await runInsightMails(host.deps, host.clock.now());
}

const pages = () => asked.filter(({ address }) => !address.endsWith('/robots.txt'));
const lines = () => pages().map(({ method, address }) => `${method} ${address}`);

async function failureOf(id: string, token = owner.token) {
  const response = await host.request(`/api/qrcodes/${id}`, { token });
  const { data } = (await response.json()) as { data: { code: { destination: { problem: string } | null } } };
  return data.code.destination;
}

async function mailsTo({ email }: TestAccount) {
  return (await host.mails()).filter(({ to }) => to === email).reverse();
}

test('a failure is told once it was seen twice, an hour apart, and its end clears it', async () => {
  const code = await host.code(owner.id, { content: 'https://shop.example/menu' });
  answers['https://shop.example/menu'] = 404;
  await lookAfter(0);
  expect(await failureOf(code.id)).toBeNull();
  expect(lines()).toEqual(['HEAD https://shop.example/menu', 'GET https://shop.example/menu']);
  await lookAfter(0.9);
  expect(pages()).toHaveLength(2);
  await lookAfter(0.2);
  expect(await failureOf(code.id)).toEqual({
    address: 'https://shop.example/menu',
    problem: 'status',
    status: 404,
    movedTo: null,
    since: expect.stringMatching(/T10:00:0\d/),
    checkedAt: expect.stringMatching(/T11:0\d:/),
  });
  const list = await host.request('/api/qrcodes', { token: owner.token });
  expect(await list.json()).toMatchObject({ data: [{ destination: { status: 404 } }] });
  answers = {};
  await lookAfter(37);
  expect(await failureOf(code.id)).toBeNull();
});

const MOVED = { status: 301, location: 'https://new.other/' };
const onlyForHead = (status: number): [Answers, null] => [{ 'HEAD https://site.example/': status }, null];
test.each<[Answers, string | null]>([
  [{ 'https://site.example/': 'dns' }, 'dns'],
  [{ 'https://site.example/': 'tls' }, 'tls'],
  [{ 'https://site.example/': 'unreachable' }, 'unreachable'],
  [{ 'https://site.example/': 'timeout' }, 'timeout'],
  [{ 'https://site.example/': 404 }, 'status'],
  [{ 'https://site.example/': 410 }, 'status'],
  [{ 'https://site.example/': 500 }, 'status'],
  [{ 'https://site.example/': 503 }, 'status'],
  [{ 'https://site.example/': MOVED }, 'moved'],
  [{ 'https://site.example/': { ...MOVED, status: 308 } }, 'moved'],
  [{ 'https://site.example/': { status: 302, location: '/' } }, 'redirects'],
  [{ 'https://site.example/': { status: 302, location: '/a' }, 'https://site.example/a': 404 }, 'status'],
  [{ 'https://site.example/': { ...MOVED, status: 302 } }, null],
  // As shorteners do.
  [{ 'https://site.example/': { ...MOVED, location: 'https://new.other/shop/menu' } }, null],
  [{ 'https://site.example/': { status: 301, location: 'https://www.site.example/' } }, null],
  [{ 'https://site.example/': { status: 302, location: 'https://10.0.0.1/' } }, null],
  [{ 'https://site.example/': { status: 302, location: 'http://site.example/' } }, null],
  [{ 'https://site.example/': { status: 302, location: 'https://go.quadrille.example/l/ABCDEFGH' } }, null],
  ...[400, 403, 404, 405, 410, 500, 501, 503].map(onlyForHead),
  [{ 'HEAD https://site.example/': 403, 'GET https://site.example/': 404 }, 'status'],
  [{ 'https://site.example/': 401 }, null],
  [{ 'https://site.example/': 403 }, null],
  [{ 'https://site.example/': 429 }, null],
  [{ 'https://site.example/': 451 }, null],
  [{ 'https://site.example/': 'unsure' }, null],
  [{ 'https://site.example/': 'refused' }, null],
  [{ 'https://site.example/robots.txt': 503 }, null],
])('%j: %s', async (given, problem) => {
  const code = await host.code(owner.id, { content: 'https://site.example/' });
  answers = given;
  await lookAfter(0);
  await lookAfter(1.1);
  expect((await failureOf(code.id))?.problem ?? null).toBe(problem);
  expect(asked.filter(({ address }) => /10\.0\.0\.1|^http:|go\.quadrille/.test(address))).toEqual([]);
});

test('a failure that is not seen again within two looks in a row is none', async () => {
  const code = await host.code(owner.id, { content: 'https://site.example/' });
  for (const status of [500, 200, 500]) {
    answers['https://site.example/'] = status;
    await lookAfter(37);
  }
  expect(await failureOf(code.id)).toBeNull();
  await lookAfter(1.1);
  expect(await failureOf(code.id)).not.toBeNull();
});

describe('the robots.txt of a site', () => {
  const forbid = (text: string) => ({ status: 200, body: text });

  test('is obeyed where it names our agent or all, and read once a day', async () => {
    answers['https://site.example/robots.txt'] = forbid('User-agent: QuadrilleCheck\nDisallow: /private');
    answers['https://all.example/robots.txt'] = forbid('User-agent: *\nDisallow: /');
    answers['https://other.example/robots.txt'] = forbid('User-agent: OtherBot\nDisallow: /');
    for (const content of [
      'https://site.example/private/a',
      'https://site.example/b',
      'https://all.example/',
      'https://other.example/',
    ])
      await host.code(owner.id, { content });
    await lookAfter(0);
    expect(lines().sort()).toEqual(['HEAD https://other.example/', 'HEAD https://site.example/b']);
    expect(asked.filter(({ address }) => address === 'https://site.example/robots.txt')).toHaveLength(1);
  });

  test('is obeyed to the second wildcard of a rule, and not for more than is bounded', async () => {
    const rules = [
      'User-agent: *',
      'Disallow: /a*b*c*d',
      'Allow: /axb*e*f',
      'Disallow: /*.pdf$',
      'Disallow: /g*',
    ];
    const others = Array.from({ length: 600 }, (_, row) => `Disallow: /${row}/`);
    answers['https://site.example/robots.txt'] = forbid([...rules, ...others].join('\n'));
    for (const path of ['axb', 'axbef', 'x.pdf', 'x.pdf?a', 'gh', 'ay', '9/', '599/'])
      await host.code(owner.id, { content: `https://site.example/${path}` });
    await lookAfter(0);
    const allowed = ['x.pdf?a', 'ay', '599/'].map((path) => `HEAD https://site.example/${path}`);
    expect(lines().sort()).toEqual(allowed.sort());
  });

  test('is found behind a redirect, and asked with the name that the questions explain', async () => {
    answers['https://site.example/robots.txt'] = {
      status: 301,
      location: 'https://www.site.example/robots.txt',
    };
    answers['https://www.site.example/robots.txt'] = forbid('User-agent: *\nDisallow: /');
    await host.code(owner.id, { content: 'https://site.example/' });
    await lookAfter(0);
    expect(pages()).toEqual([]);
    const agent = 'QuadrilleCheck/1.0 (+https://www.quadrille.example/faq#destination-check)';
    expect(new Set(asked.map((one) => one.agent))).toEqual(new Set([agent]));
  });
});

const [AT, SET_AT] = ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const NOTHING = { visits: null, message: null, target: null, reachedAt: null, noticedAt: null };
const ENDED = { ...NOTHING, at: AT, setAt: SET_AT, route: 1 };

test('codes with the same address are asked once a day together, and only those of interest', async () => {
  const other = await host.account();
  for (const account of [owner, owner, owner, other])
    await host.code(account.id, { content: 'https://shared.example/' });
  const unwatched = {
    private: { visibility: 'private' },
    archived: {},
    deleted: { deletedAt: START },
    off: { isWatched: false },
    blocked: { blockedAt: START },
    http: {},
    ended: { routing: { ...NO_ROUTING, end: ENDED } },
    text: { type: 'text' },
  } as const;
  for (const [name, fields] of Object.entries(unwatched)) {
    const content = `${name === 'http' ? 'http' : 'https'}://${name}.example/`;
    const code = await host.code(owner.id, { ...fields, content } as never);
    if (name === 'archived')
      await send(host, 'PATCH', `/api/qrcodes/${code.id}`, { archived: true }, { token: owner.token });
  }
  for (let hour = 0; hour < 49; hour += 1) await lookAfter(hour === 0 ? 0 : 1);
  expect(new Set(lines())).toEqual(new Set(['HEAD https://shared.example/']));
  expect(pages().length).toBeGreaterThanOrEqual(2);
  expect(pages().length).toBeLessThanOrEqual(4);
  const kept = await host.db.orm.select({ address: destinations.address }).from(destinations);
  expect(kept.map(({ address }) => address).sort()).toEqual([
    'http://http.example/',
    'https://shared.example/',
  ]);
});

test('a destination is dropped when no code leads there any more', async () => {
  const code = await host.code(owner.id, { content: 'https://old.example/' });
  await lookAfter(0);
  await send(
    host,
    'PATCH',
    `/api/qrcodes/${code.id}`,
    { content: 'https://new.example/' },
    { token: owner.token },
  );
  await lookAfter(37);
  const kept = await host.db.orm.select({ address: destinations.address }).from(destinations);
  expect(kept).toEqual([{ address: 'https://new.example/' }]);
});

test('an owner switches the check off for a code, which its history shows', async () => {
  const code = await host.code(owner.id, { content: 'https://site.example/' });
  answers['https://site.example/'] = 'dns';
  await lookAfter(0);
  await lookAfter(1.1);
  expect(await failureOf(code.id)).not.toBeNull();
  const path = `/api/qrcodes/${code.id}`;
  expect((await send(host, 'PATCH', path, { watched: false }, { token: owner.token })).status).toBe(200);
  const response = await host.request(path, { token: owner.token });
  expect(await response.json()).toMatchObject({
    data: {
      code: { watched: false, destination: null },
      changes: [{ field: 'watched', before: 'true', after: 'false' }],
    },
  });
  const before = asked.length;
  await lookAfter(37);
  expect(asked).toHaveLength(before);
});

describe('pacing', () => {
  test('a host is asked once a second, whoever asks', async () => {
    for (let page = 0; page < 5; page += 1)
      await host.code(owner.id, { content: `https://slow.example/${page}` });
    await collectDestinations(host.db.orm, host.clock.now());
    const turns = [START.getTime()];
    const check = () =>
      createDestinationCheck(host.deps, async (ms) => void turns.push(host.clock.now().getTime() + ms))();
    await Promise.all([check(), check()]);
    expect([new Set(lines()).size, pages().length]).toEqual([5, 5]);
    expect(turns.sort()).toEqual(asked.map((_, index) => START.getTime() + index * 1_000));
  });

  test('ten hosts are asked at once, and no host by two requests', async () => {
    let [open, most] = [0, 0];
    const openAt = new Map<string, number>();
    answering = async () => {
      open += 1;
      most = Math.max(most, open);
      const name = new URL(asked.at(-1)?.address ?? '').host;
      openAt.set(name, (openAt.get(name) ?? 0) + 1);
      expect(openAt.get(name)).toBe(1);
      await vi.waitUntil(() => most >= 10, { timeout: 5_000, interval: 5 });
      openAt.set(name, 0);
      open -= 1;
    };
    for (let number = 0; number < 24; number += 1)
      await host.code(owner.id, { content: `https://site${number % 12}.example/${number}` });
    await lookAfter(0);
    expect(pages()).toHaveLength(24);
    expect(most).toBe(10);
  });
});

test('hosts that look at the same time never ask twice, and take over what a dead one left', async () => {
  for (let number = 0; number < 12; number += 1)
    await host.code(owner.id, { content: `https://site${number}.example/` });
  await collectDestinations(host.db.orm, host.clock.now());
  await Promise.all([newCheck()(), newCheck()(), newCheck()()]);
  expect(lines()).toHaveLength(12);
  expect(new Set(lines()).size).toBe(12);
  await host.db.orm.execute(
    `update destinations set next_at = '2026-01-01', claimed_until = now() + interval '1 minute'`,
  );
  await newCheck()();
  expect(lines()).toHaveLength(12);
  await host.db.orm.execute(`update destinations set claimed_until = now() - interval '1 second'`);
  await newCheck()();
  expect(lines()).toHaveLength(24);
});

test('a host that stops gives back what it was asking', async () => {
  await host.code(owner.id, { content: 'https://site.example/' });
  await collectDestinations(host.db.orm, host.clock.now());
  const stopping = new AbortController();
  answering = async () => {
    stopping.abort();
    stopping.signal.throwIfAborted();
  };
  await newCheck()(stopping.signal);
  answering = async () => {};
  await newCheck()();
  expect(lines()).toEqual(['HEAD https://site.example/']);
});

describe('the mail', () => {
  const fail = (...names: string[]) => {
    for (const name of names) answers[`https://${name}.example/`] = 'dns';
  };

  test('lists every destination of an hour with its number of codes, and is not sent again until it recovers', async () => {
    for (const name of ['one', 'one', 'one', 'two'])
      await host.code(owner.id, { content: `https://${name}.example/` });
    fail('one', 'two');
    for (const hours of [0, 1.1, 0.5, 0.7, 24, 24]) await lookAfter(hours);
    const [mail, ...others] = await mailsTo(owner);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('2 destinations do not answer as they should');
    expect(mail?.text).toContain('https://one.example/ (codes: 3): the name of the site does not exist');
    expect(mail?.text).toContain('https://two.example/ (codes: 1)');
    answers = {};
    await lookAfter(37);
    fail('two');
    for (const hours of [37, 1.1, 1.1, 24]) await lookAfter(hours);
    expect((await mailsTo(owner)).map(({ subject }) => subject)).toEqual([
      mail?.subject,
      'two.example does not answer as it should',
    ]);
  });

  test('goes to every owner once, also when two hosts send it, and not to whom it is off', async () => {
    const [other, quiet] = [await host.account(), await host.account()];
    for (const account of [other, quiet])
      await host.db.orm
        .update(accounts)
        .set({ lastLoginAt: START, locale: 'de' })
        .where(eq(accounts.id, account.id));
    const off = { figures: 'off', firstScan: false, unusual: false, destinationFailing: false };
    await send(host, 'PUT', '/api/account/mails', off, { token: quiet.token });
    for (const account of [owner, other, quiet])
      await host.code(account.id, { content: 'https://down.example/' });
    fail('down');
    await lookAfter(0);
    await lookAfter(1.1);
    host.clock.advance(1.1 * HOUR_MS);
    const run = () => runInsightMails(host.deps, host.clock.now());
    await Promise.all([run(), run()]);
    expect(await mailsTo(owner)).toHaveLength(1);
    expect((await mailsTo(other)).map(({ subject }) => subject)).toEqual([
      'down.example antwortet nicht wie erwartet',
    ]);
    expect(await mailsTo(quiet)).toEqual([]);
  });

  test('is not sent about what has recovered, or leads nowhere any more', async () => {
    await host.code(owner.id, { content: 'https://down.example/' });
    fail('down');
    await lookAfter(0);
    await lookAfter(1.1);
    await host.db.orm.execute('update destinations set confirmed_at = null');
    await lookAfter(1.1);
    expect(await mailsTo(owner)).toEqual([]);
  });
});
