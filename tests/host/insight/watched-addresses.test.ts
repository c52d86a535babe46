import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { accounts } from '#host/db/accounts.tables';
import { PublicRequestError, type PublicResponse } from '#host/http/public-request';
import { runInsightMails } from '#host/insight/jobs';
import { collectDestinations, createDestinationCheck } from '#host/insight/watch/check';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let owner: TestAccount;
let lines: string[];
/** Status by address, or 0 for a name that does not exist; everything else answers 200. */
let answers: Record<string, number>;

beforeAll(async () => {
  host = await createTestHost({ requestPublic: respond });
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  await host.db.orm.execute(
    'delete from destinations; delete from jobs; delete from code_changes; delete from codes; delete from rate_limits',
  );
  [lines, answers] = [[], {}];
  owner = await host.account();
  await host.db.orm.update(accounts).set({ lastLoginAt: START }).where(eq(accounts.id, owner.id));
});

async function respond(address: string, { method = 'GET' } = {}): Promise<PublicResponse> {
  if (address.endsWith('/robots.txt')) return { status: 404, headers: {}, body: Buffer.from('') };
  lines.push(`${method} ${address}`);
  const status = answers[address] ?? 200;
  if (status === 0) throw new PublicRequestError('dns');
  return { status, headers: {}, body: Buffer.from('') };
}

const newCheck = () => createDestinationCheck(host.deps, async (ms) => host.clock.advance(ms));

async function lookAfter(hours: number): Promise<void> {
  host.clock.advance(hours * HOUR_MS);
  await collectDestinations(host.db.orm, host.clock.now());
  await newCheck()();
  await runInsightMails(host.deps, host.clock.now());
}

async function failureOf(id: string, token = owner.token) {
  const response = await host.request(`/api/qrcodes/${id}`, { token });
  return ((await response.json()) as { data: { code: { destination: unknown } } }).data.code.destination;
}

async function mailsTo({ email }: TestAccount) {
  return (await host.mails()).filter(({ to }) => to === email);
}

const [AT, SET_AT] = ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const NOTHING = { visits: null, message: null, target: null, reachedAt: null, noticedAt: null };
const ENDED = { ...NOTHING, at: AT, setAt: SET_AT, route: 1 };

describe('the addresses of rules, schedule and end', () => {
  const rule = (...targets: string[]) => ({
    id: 1,
    languages: ['fr'],
    systems: [],
    countries: [],
    weekdays: [],
    from: null,
    to: null,
    startsOn: null,
    endsOn: null,
    timeZone: null,
    variants: targets.map((target, at) => ({ route: at + 1, target, percent: 50 })),
  });
  const LATER = '2026-03-12T00:00:00.000Z';
  const routing = {
    ...NO_ROUTING,
    rules: [rule('https://one.example/', 'https://two.example/')],
    schedule: { at: LATER, target: 'https://later.example/', route: 3 },
    end: { ...ENDED, at: LATER, target: 'https://end.example/', route: 4 },
  };

  test('are asked too, each once, and owners are told once of an address', async () => {
    const code = await host.code(owner.id, { content: 'https://main.example/', routing } as never);
    await host.code(owner.id, { content: 'https://two.example/' });
    const other = await host.account();
    const theirs = await host.code(other.id, { content: 'https://theirs.example/', routing } as never);
    answers['https://two.example/'] = 404;
    await lookAfter(0);
    expect(new Set(lines)).toEqual(
      new Set([
        ...['main', 'one', 'two', 'later', 'end', 'theirs'].map((name) => `HEAD https://${name}.example/`),
        'GET https://two.example/',
      ]),
    );
    await lookAfter(1.1);
    expect(await failureOf(code.id)).toMatchObject({ address: 'https://two.example/', problem: 'status' });
    expect(await failureOf(theirs.id, other.token)).toMatchObject({ address: 'https://two.example/' });
    await lookAfter(1.1);
    expect([(await mailsTo(owner)).length, (await mailsTo(other)).length]).toEqual([1, 1]);
    expect((await mailsTo(owner))[0]?.text).toContain('two.example');
    await lookAfter(37);
    await lookAfter(1.1);
    expect((await mailsTo(owner)).length).toBe(1);
  });

  test('matter as long as they can be reached: after its end a code leads only to that of the end', async () => {
    const code = await host.code(owner.id, { content: 'https://main.example/', routing } as never);
    for (const name of ['main', 'one', 'end']) answers[`https://${name}.example/`] = 0;
    await lookAfter(0);
    await lookAfter(1.1);
    expect(await failureOf(code.id)).toMatchObject({ address: 'https://main.example/' });
    host.clock.set(new Date(LATER));
    expect(await failureOf(code.id)).toMatchObject({ address: 'https://end.example/' });
    const before = lines.length;
    await lookAfter(1);
    expect(new Set(lines.slice(before))).toEqual(new Set(['HEAD https://end.example/']));
    const paused = { ...routing, pause: { message: '' } };
    const silent = await host.code(owner.id, { content: 'https://main.example/', routing: paused } as never);
    expect(await failureOf(silent.id)).toBeNull();
  });
});

test('a list of the codes whose destinations fail', async () => {
  const failing = await host.code(owner.id, { content: 'https://gone.example/' });
  const byRule = await host.code(owner.id, {
    content: 'https://fine.example/',
    routing: {
      ...NO_ROUTING,
      end: { ...ENDED, at: '2026-06-01T00:00:00.000Z', target: 'https://gone.example/' },
    },
  } as never);
  await host.code(owner.id, { content: 'https://fine.example/' });
  await host.code(owner.id, { content: 'https://gone.example/', isWatched: false });
  await host.code((await host.account()).id, { content: 'https://gone.example/' });
  const idsOf = async (query = '') => {
    const response = await host.request(`/api/qrcodes?show=failing${query}`, { token: owner.token });
    const { data, meta } = (await response.json()) as { data: { id: string }[]; meta: { total: number } };
    expect(meta.total).toBe(data.length);
    return data.map(({ id }) => id).sort();
  };
  expect(await idsOf()).toEqual([]);
  answers['https://gone.example/'] = 410;
  await lookAfter(0);
  await lookAfter(1.1);
  expect(await idsOf()).toEqual([failing.id, byRule.id].sort());
  expect(await idsOf('&search=fine')).toEqual([byRule.id]);
  answers = {};
  await lookAfter(37);
  expect(await idsOf()).toEqual([]);
});

describe('a check at once', () => {
  const check = (id: string, token = owner.token) =>
    send(host, 'POST', `/api/qrcodes/${id}/checks`, undefined, { token });
  const checksOf = async (id: string) => {
    const response = await host.request(`/api/qrcodes/${id}`, { token: owner.token });
    return ((await response.json()) as { data: { checks: object[] } }).data.checks;
  };

  test('asks at the usual pace, once a minute for a code, and confirms nothing early', async () => {
    const code = await host.code(owner.id, { content: 'https://site.example/' });
    expect(await checksOf(code.id)).toMatchObject([{ checkedAt: null, isDue: false, problem: null }]);
    answers['https://site.example/'] = 500;
    expect((await check(code.id)).body.message).toBe('code_check_requested');
    expect(await checksOf(code.id)).toMatchObject([{ checkedAt: null, isDue: true }]);
    expect((await check(code.id)).status).toBe(429);
    await newCheck()();
    expect(await checksOf(code.id)).toMatchObject([{ problem: 'status', isDue: false, isConfirmed: false }]);
    for (const _ of [1, 2, 3]) {
      host.clock.advance(61_000);
      expect((await check(code.id)).status).toBe(200);
      await newCheck()();
    }
    expect(lines.filter((line) => line.startsWith('HEAD'))).toHaveLength(4);
    expect(await failureOf(code.id)).toBeNull();
    await lookAfter(1);
    expect(await checksOf(code.id)).toMatchObject([{ isConfirmed: true }]);
    expect(await failureOf(code.id)).toMatchObject({ problem: 'status' });
  });

  test('is for owners with paid time, of codes that are checked', async () => {
    const code = await host.code(owner.id, { content: 'https://site.example/' });
    const lapsed = await host.account({ access: false });
    expect((await check(code.id, (await host.account()).token)).status).toBe(404);
    expect((await check((await host.code(lapsed.id)).id, lapsed.token)).status).toBe(402);
    const off = await host.code(owner.id, { content: 'https://off.example/', isWatched: false });
    expect(await checksOf(off.id)).toEqual([]);
    expect((await check(off.id)).status).toBe(200);
    await newCheck()();
    expect(lines).toEqual([]);
  });
});
