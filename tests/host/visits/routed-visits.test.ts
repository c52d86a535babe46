import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { restoreCode } from '#host/codes/code/deletion';
import { announceChanges } from '#host/codes/code/store';
import { runCommand } from '#host/operator/run-command';
import { joinVisits, parseVisits, serializeVisits } from '#host/visits/count/journal';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { routingCalls, to } from '../codes/routing-calls';
import { readCode } from './stored-visits';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Mobile Safari/537.36';
const JSON_CALLER = { accept: 'application/json' };

let host: TestHost;
let owner: TestAccount;
let calls: ReturnType<typeof routingCalls>;
let code: Awaited<ReturnType<TestHost['code']>>;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  owner = await host.account();
  calls = routingCalls(host, owner.token);
  code = await host.code(owner.id);
});

async function visit(headers: Record<string, string> = {}, path = `/r/${code.slug}`) {
  const answered = await host.request(path, { headers });
  return answered.headers.get('location') ?? answered.status;
}

/** Sends a visit until it gets what is expected: a change reaches the cache in milliseconds. */
const expectVisit = (headers: Record<string, string> = {}) => expect.poll(() => visit(headers));

async function outcomes(): Promise<string[]> {
  const rows = await host.db.query<{ outcome: string }>({
    name: '',
    text: 'select outcome from visits where code_id = $1 order by at, outcome',
    values: [code.id],
  });
  return rows.map(({ outcome }) => outcome);
}

describe('rules', () => {
  test('lead by language, system and country, and else to the content', async () => {
    await calls.add(code.id, {
      languages: ['de'],
      systems: ['android'],
      variants: to('https://both.example/'),
    });
    await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/') });
    await calls.add(code.id, { countries: ['AT'], variants: to('https://ät.example/') });
    await expectVisit({ 'accept-language': 'de-AT,en' }).toBe('https://de.example/');
    expect(await visit({ 'accept-language': 'de', 'user-agent': ANDROID })).toBe('https://both.example/');
    expect(await visit({ 'accept-language': 'en', 'x-client-country': 'AT' })).toBe(
      'https://xn--t-zfa.example/',
    );
    expect(await visit({ 'accept-language': 'en' })).toBe('https://destination.example/');
    expect(await visit({ 'accept-language': 'de' }, `/l/${code.slug.toLowerCase()}`)).toBe(
      'https://de.example/',
    );
  });

  test.each([
    ['no', 'nb'],
    ['iw', 'he'],
    ['ger', 'de'],
    ['fil', 'fil'],
  ])('name the language %s as visits do, %s', async (entered, language) => {
    const variants = to('https://own.example/');
    const added = await calls.add(code.id, { languages: [entered, language], variants });
    expect(added.languages).toEqual([language]);
    const tried = await calls.send('GET', `${code.id}/routing/trial?language=${entered}`);
    expect((await tried.json()).data).toMatchObject({ answer: 'rule', rule: added.id });
    await expectVisit({ 'accept-language': entered }).toBe('https://own.example/');
  });

  test('that were stored with another name of a language answer its visits', async () => {
    await calls.add(code.id, { languages: ['de'], variants: to('https://no.example/') });
    await host.db.query({
      name: '',
      text: `update codes set routing = jsonb_set(routing, '{rules,0,languages}', '["no"]') where id = $1`,
      values: [code.id],
    });
    await announceChanges(host.db.orm, [code]);
    await expectVisit({ 'accept-language': 'nb-NO' }).toBe('https://no.example/');
    expect((await calls.read(code.id)).routing.rules[0]?.languages).toEqual(['nb']);
  });

  test('lead by what the clock shows', async () => {
    await calls.add(code.id, {
      from: '17:00',
      to: '23:00',
      timeZone: 'Europe/Berlin',
      variants: to('https://dinner.example/'),
    });
    host.clock.set(new Date('2026-03-02T15:59:59Z'));
    expect(await visit()).toBe('https://destination.example/');
    host.clock.set(new Date('2026-03-02T16:00:00Z'));
    expect(await visit()).toBe('https://dinner.example/');
  });

  test('are counted by route, of people only', async () => {
    const rule = await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/') });
    await expectVisit({ 'accept-language': 'de' }).toBe('https://de.example/');
    const before = (await calls.read(code.id)).figures?.routes;
    await visit({ 'accept-language': 'de' }, `/l/${code.slug}`);
    await visit({ 'accept-language': 'de', 'user-agent': 'Googlebot/2.1' });
    await visit({ 'accept-language': 'fr' });
    const { figures } = await calls.read(code.id);
    const [own, german] = figures?.routes ?? [];
    expect(own).toEqual({ route: 0, scans: (before?.[0]?.scans ?? 0) + 1, clicks: 0 });
    expect(german).toEqual({ route: rule.variants[0]?.route, scans: before?.[1]?.scans, clicks: 1 });
    expect(figures).toMatchObject({
      since: '2026-03-02',
      period: { from: '2026-02-01', to: '2026-03-02', days: 30 },
    });
    host.clock.advance(10 * DAY_MS);
    await calls.send('DELETE', `${code.id}/rules/${rule.id}`);
    const later = await calls.read(code.id, '?period=30');
    expect(later.figures?.earlier).toEqual({ scans: before?.[1]?.scans, clicks: 1 });
    expect((await calls.read(code.id, '?period=7')).figures?.earlier).toEqual({ scans: 0, clicks: 0 });
  });

  test('of a code without any count nothing', async () => {
    await visit();
    const rows = await host.db.query({
      name: '',
      text: 'select from route_days where code_id = $1',
      values: [code.id],
    });
    expect(rows).toEqual([]);
  });

  test('may lead to a blocked host without the others being blocked', async () => {
    await calls.add(code.id, { languages: ['de'], variants: to('https://x.bad.example/') });
    await expectVisit({ 'accept-language': 'de' }).toBe('https://x.bad.example/');
    const blocked = await runCommand(host.deps, {
      command: 'block-target',
      subject: 'bad.example',
      reason: 'steals',
      operator: 'ada',
    });
    expect(blocked).toMatchObject({ blocked: expect.arrayContaining([code.slug]) });
    await expect
      .poll(
        async () =>
          (await host.request(`/r/${code.slug}`, { headers: { ...JSON_CALLER, 'accept-language': 'de' } }))
            .status,
      )
      .toBe(404);
    expect(await visit({ 'accept-language': 'fr' })).toBe('https://destination.example/');
    expect(await outcomes()).toContain('blocked');
    await runCommand(host.deps, {
      command: 'unblock-target',
      subject: 'bad.example',
      reason: 'clean',
      operator: 'ada',
    });
  });

  test('that lead back to their code get a page, others of it do not', async () => {
    const rule = await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/') });
    // As from before such targets were refused.
    const target = `https://www.quadrille.example/l/${code.slug}`;
    const routing = { rules: [{ ...rule, variants: [{ ...rule.variants[0], target }] }], next: 9 };
    await host.db.query({
      name: '',
      text: `update codes set routing = routing || $2::jsonb where id = $1`,
      values: [code.id, JSON.stringify(routing)],
    });
    await announceChanges(host.db.orm, [code]);
    const headers = { ...JSON_CALLER, 'accept-language': 'de' };
    await expect
      .poll(async () => (await host.request(`/r/${code.slug}`, { headers })).text())
      .toContain('"code_circular"');
    expect(await visit({ 'accept-language': 'fr' })).toBe('https://destination.example/');
  });
});

describe('a split', () => {
  const targets = ['https://a.example/', 'https://b.example/'];
  const person = (n: number) => ({ 'x-client-ip': `192.0.2.${n}` });

  test('leads a person to the same variant all day, and people to both', async () => {
    const { variants } = await calls.add(code.id, { variants: to(...targets) });
    await expectVisit(person(0)).toMatch(/[ab]\.example/);
    const first = new Map<number, string | number>();
    for (let n = 1; n <= 24; n += 1) first.set(n, await visit(person(n)));
    expect(new Set(first.values())).toEqual(new Set(targets));
    host.clock.set(new Date('2026-03-02T23:59:00Z'));
    for (const [n, target] of first) expect(await visit(person(n))).toBe(target);
    host.clock.set(new Date('2026-03-03T00:01:00Z'));
    const next = [];
    for (const n of first.keys()) next.push(await visit(person(n)));
    expect(next).not.toEqual([...first.values()]);
    const { figures } = await calls.read(code.id);
    const [a = 0, b = 0] = variants.map(
      ({ route }) => figures?.routes.find((one) => one.route === route)?.scans,
    );
    const onA = [...first.values(), ...first.values(), ...next].filter(
      (target) => target === targets[0],
    ).length;
    expect([a + b, Math.abs(a - onA)]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(a + b).toBeGreaterThanOrEqual(72);
    expect([onA, onA + 1, onA + 2, onA + 3]).toContain(a);
  });
});

describe('pause and end', () => {
  test('a paused code of any type says so, and is not visited', async () => {
    const text = await host.code(owner.id, { type: 'text', content: 'hello' });
    for (const { id, slug } of [code, text]) {
      await calls.update(id, { pause: { message: 'back soon' } });
      const read = async () => (await host.request(`/r/${slug}`, { headers: JSON_CALLER })).json();
      await expect.poll(read).toMatchObject({
        data: { kind: 'paused', message: 'back soon' },
        owner: { name: '', hasLogo: false },
      });
      expect(await visit({}, `/r/${slug}`)).toMatch(
        new RegExp(`^https://www.quadrille.example/r/${slug}\\?counted=`),
      );
    }
    expect(new Set(await outcomes())).toContain('paused');
    await calls.update(code.id, { pause: null });
    await expectVisit().toBe('https://destination.example/');
  });

  test('a paused visit is none of a visitor', async () => {
    await calls.update(code.id, { pause: { message: '' } });
    await expectVisit().toMatch(/counted=/);
    const { totals, visitors } = await readCode(host.db, code.id);
    expect(totals[0]?.scans).toBeGreaterThan(0);
    const served = (await outcomes()).filter((outcome) => outcome === 'served');
    expect(visitors.length).toBe(served.length > 0 ? 1 : 0);
  });

  test('an end comes at its second, with a message or another target', async () => {
    await calls.update(code.id, { end: { at: '2026-03-02T12:00:00Z', message: 'over' } });
    host.clock.set(new Date('2026-03-02T11:59:59.999Z'));
    expect(await visit()).toBe('https://destination.example/');
    host.clock.set(new Date('2026-03-02T12:00:00Z'));
    const ended = await host.request(`/r/${code.slug}`, { headers: JSON_CALLER });
    expect([ended.status, await ended.json()]).toEqual([
      200,
      expect.objectContaining({ data: { kind: 'ended', message: 'over' } }),
    ]);
    const { code: shown } = await calls.read(code.id);
    expect(shown.routing).toMatchObject({ hasEnded: true });
    await calls.update(code.id, { end: { at: '2026-03-02T12:00:00Z', target: 'https://after.example/' } });
    await expectVisit().toBe('https://after.example/');
    const { routing, figures } = await calls.read(code.id);
    expect(figures?.routes.find(({ route }) => route === routing.end?.route)?.scans).toBeGreaterThan(0);
  });

  test('an end by visits comes when they are counted', async () => {
    await visit();
    await calls.update(code.id, { end: { visits: 3, message: 'sold out' } });
    await expectVisit().toMatch(/destination|counted/);
    while ((await readCode(host.db, code.id)).totals[0]?.scans !== 3) await visit();
    await expectVisit().toMatch(/counted=/);
    expect((await calls.read(code.id)).routing.end?.reachedAt).toBe('2026-03-02T10:00:00.000Z');
    await calls.update(code.id, { end: { visits: 99, message: 'sold out' } });
    await expectVisit().toBe('https://destination.example/');
  });

  test.each([
    ['paused', { routing: { pause: { message: '' } } }, { routing: { pause: null } }],
    ['private', { visibility: 'private' }, { visibility: 'public' }],
  ])('an end by visits comes by those of a %s code too', async (_, close, open) => {
    await calls.update(code.id, { end: { visits: 3, message: 'sold out' } });
    await calls.send('PATCH', code.id, close);
    const readEnd = async () => (await calls.read(code.id)).routing.end?.reachedAt;
    await expectVisit().toMatch(/\?counted=/);
    while (((await readCode(host.db, code.id)).totals[0]?.scans ?? 0) < 3) await visit();
    await expect.poll(readEnd).toBe('2026-03-02T10:00:00.000Z');
    await calls.send('PATCH', code.id, open);
    const answered = async () =>
      (await host.request(`/r/${code.slug}`, { headers: JSON_CALLER })).json().catch(() => null);
    await expect.poll(answered).toMatchObject({ data: { kind: 'ended', message: 'sold out' } });
    expect(await outcomes()).not.toContain('served');
  });

  test('an end by visits comes by those of a deleted code, should it be brought back', async () => {
    await calls.update(code.id, { end: { visits: 3, message: '' } });
    await calls.send('DELETE', code.id);
    await expectVisit().toMatch(/\?counted=/);
    while (((await readCode(host.db, code.id)).totals[0]?.scans ?? 0) < 3) await visit();
    await host.recorder.idle();
    expect(await restoreCode(host.db.orm, { accountId: owner.id, id: code.id }, START)).toBe(true);
    expect((await calls.read(code.id)).routing.end?.reachedAt).toBe('2026-03-02T10:00:00.000Z');
  });

  test.each([
    [false, 'https://destination.example/', { name: 'Poster' }],
    [true, /\?counted=/, { visibility: 'private' }],
    [true, /\?counted=/, { routing: { pause: { message: '' }, end: { visits: 99 } } }],
  ])(
    'codes that may have ended are looked for (%s) after visits led to %s, of one with %j',
    async (isAsked, leadsTo, change) => {
      await calls.send('PATCH', code.id, change);
      await expectVisit().toMatch(leadsTo);
      const names: string[] = [];
      const { inTransaction } = host.db;
      const spied = vi.spyOn(host.db, 'inTransaction').mockImplementation((work) =>
        inTransaction((query) =>
          work((statement) => {
            names.push(statement.name);
            return query(statement);
          }),
        ),
      );
      await visit().finally(() => spied.mockRestore());
      expect(names).toContain('visits_count_codes');
      expect(names.includes('visits_count_routes')).toBe(isAsked);
    },
  );

  test('a scheduled target takes over to the second, before any job has run', async () => {
    await calls.update(code.id, {
      schedule: { at: '2026-03-02T12:00:00Z', target: 'https://next.example/' },
    });
    host.clock.set(new Date('2026-03-02T11:59:59.999Z'));
    expect(await visit()).toBe('https://destination.example/');
    host.clock.set(new Date('2026-03-02T12:00:00Z'));
    expect(await visit()).toBe('https://next.example/');
  });
});

test('the journal keeps the routes of visits when batches are joined', () => {
  const visitOf = (at: number, route?: number) => ({
    codeId: '00000000-0000-4000-8000-000000000001',
    at,
    source: 'scan' as const,
    class: 'human' as const,
    outcome: 'served' as const,
    route,
    agent: { text: '', robot: null, device: 'phone' as const, os: 'ios' as const },
    language: '',
    country: '',
    clientIp: '',
  });
  const batches = [[visitOf(1), visitOf(2, 0)], [visitOf(5)], [visitOf(7, 12), visitOf(8)]];
  const joined = joinVisits(batches.map((visits) => serializeVisits(visits, () => '1')));
  const parsed = parseVisits(joined, new Date(10));
  expect(parsed.map(({ at, route }) => [at, route])).toEqual([
    [1, undefined],
    [2, 0],
    [5, undefined],
    [7, 12],
    [8, undefined],
  ]);
});
