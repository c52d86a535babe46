import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '#host/operator/run-command';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { problemsOf, routingCalls, to } from './routing-calls';

let host: TestHost;
let owner: TestAccount;
let calls: ReturnType<typeof routingCalls>;
let id: string;
let slug: string;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  owner = await host.account();
  calls = routingCalls(host, owner.token);
  ({ id, slug } = await host.code(owner.id));
});

const german = { languages: ['de'], variants: to('https://de.example/') };
const french = { languages: ['fr'], variants: to('https://fr.example/') };

describe('rules', () => {
  test('are added as the last, changed, moved and deleted', async () => {
    const first = await calls.add(id, german);
    expect(first).toMatchObject({
      languages: ['de'],
      variants: [{ target: 'https://de.example/', percent: 100 }],
    });
    const second = await calls.add(id, french);
    const order = async () => (await calls.read(id)).routing.rules.map((rule) => rule.id);
    expect(await order()).toEqual([first.id, second.id]);
    await calls.move(id, second.id, 1);
    await calls.move(id, second.id, 1);
    expect(await order()).toEqual([second.id, first.id]);
    await calls.move(id, second.id, 99);
    expect(await order()).toEqual([first.id, second.id]);
    await calls.change(id, first.id, { ...german, systems: ['ios'] });
    expect((await calls.read(id)).routing.rules[0]).toMatchObject({ id: first.id, systems: ['ios'] });
    expect((await calls.send('DELETE', `${id}/rules/${first.id}`)).status).toBe(200);
    expect((await calls.send('DELETE', `${id}/rules/${first.id}`)).status).toBe(200);
    expect(await order()).toEqual([second.id]);
  });

  test('are added once if the same form is sent twice', async () => {
    const [first, again] = [await calls.add(id, german), await calls.add(id, german)];
    expect(again).toEqual(first);
    expect((await calls.read(id)).routing.rules).toHaveLength(1);
  });

  test('are all kept if several windows add and change some at once', async () => {
    const rule = await calls.add(id, german);
    await Promise.all([
      calls.change(id, rule.id, { ...german, systems: ['android'] }),
      ...Array.from({ length: 8 }, (_, n) => calls.add(id, { variants: to(`https://n${n}.example/`) })),
    ]);
    const { rules } = (await calls.read(id)).routing;
    expect(rules).toHaveLength(9);
    expect(rules[0]).toMatchObject({ id: rule.id, systems: ['android'] });
    const numbers = rules.flatMap((one) => [one.id, ...one.variants.map(({ route }) => route)]);
    expect(new Set(numbers).size).toBe(18);
  });

  test('are at most twenty', async () => {
    for (let n = 0; n < 20; n += 1) await calls.add(id, { variants: to(`https://n${n}.example/`) });
    const refused = await calls.send('POST', `${id}/rules`, german);
    expect(await problemsOf(refused)).toEqual([422, { rules: ['rules_too_many'] }]);
  });

  test('have targets that a link could have, each refused by its place', async () => {
    await runCommand(host.deps, {
      command: 'block-target',
      subject: 'bad.example',
      reason: 'steals',
      operator: 'ada',
    });
    const variants = [
      { target: 'https://go.quadrille.example/r/ABCD2345', percent: 40 },
      { target: 'https://login.bad.example/', percent: 30 },
      { target: 'not an address', percent: 20 },
      { target: 'bücher.example/Ünter', percent: 10 },
    ];
    expect(await problemsOf(await calls.send('POST', `${id}/rules`, { variants }))).toEqual([
      422,
      {
        'variants/0/target': ['link_own'],
        'variants/1/target': ['link_blocked'],
        'variants/2/target': ['link_invalid'],
      },
    ]);
    const added = await calls.add(id, { variants: to('bücher.example/Ünter') });
    expect(added.variants[0]?.target).toBe('https://bücher.example/Ünter');
    await runCommand(host.deps, {
      command: 'unblock-target',
      subject: 'bad.example',
      reason: 'clean',
      operator: 'ada',
    });
  });

  test('need a type that redirects', async () => {
    const text = await host.code(owner.id, { type: 'text', content: 'hello' });
    expect(await problemsOf(await calls.send('POST', `${text.id}/rules`, german))).toEqual([
      422,
      { rules: ['rules_unsupported'] },
    ]);
  });

  test('that are gone are a conflict, and codes of others are not found', async () => {
    const stranger = routingCalls(host, (await host.account()).token);
    const rule = await calls.add(id, german);
    for (const [method, path, body] of [
      ['GET', 'routing', undefined],
      ['GET', 'routing/trial', undefined],
      ['POST', 'rules', german],
      ['PUT', `rules/${rule.id}`, german],
      ['PUT', `rules/${rule.id}/position`, { position: 1 }],
      ['POST', `rules/${rule.id}/winner`, { route: 2 }],
      ['DELETE', `rules/${rule.id}`, undefined],
    ] as const) {
      expect((await stranger.send(method, `${id}/${path}`, body)).status).toBe(404);
    }
    expect((await calls.send('PUT', `${id}/rules/99`, german)).status).toBe(409);
    expect((await calls.move(id, 99, 1)).status).toBe(409);
    expect((await calls.send('POST', `${id}/rules/${rule.id}/winner`, { route: 99 })).status).toBe(422);
    expect((await calls.read(id)).routing.rules).toHaveLength(1);
    await calls.send('DELETE', id);
    expect((await calls.send('POST', `${id}/rules`, german)).status).toBe(404);
  });

  test('of which a variant is kept lose the others', async () => {
    const rule = await calls.add(id, { variants: to('https://a.example/', 'https://b.example/') });
    const [, kept] = rule.variants;
    const answered = await calls.send('POST', `${id}/rules/${rule.id}/winner`, { route: kept?.route });
    expect((await answered.json()).data.variants).toEqual([{ ...kept, percent: 100 }]);
  });

  test('keep the numbers of targets that stay, and never give one to another target', async () => {
    const rule = await calls.add(id, { variants: to('https://a.example/', 'https://b.example/') });
    const [a, b] = rule.variants.map(({ route }) => route);
    const changed = await calls.change(id, rule.id, {
      variants: [
        { target: 'https://b.example/', percent: 10 },
        { target: 'https://c.example/', percent: 90, route: a },
      ],
    });
    const [first, second] = changed.variants;
    expect(first?.route).toBe(b);
    expect([rule.id, a, b]).not.toContain(second?.route);
    await calls.send('DELETE', `${id}/rules/${rule.id}`);
    const next = await calls.add(id, german);
    expect(Math.min(next.id, ...next.variants.map(({ route }) => route))).toBeGreaterThan(second?.route ?? 0);
  });

  test('never give another target a number that was taken away, sent by a form from before', async () => {
    const rule = await calls.add(id, { variants: to('https://a.example/', 'https://b.example/') });
    const [a, b] = rule.variants;
    await calls.send('POST', `${id}/rules/${rule.id}/winner`, { route: a?.route });
    const variants = to('https://a.example/', 'https://c.example/');
    const sent = variants.map((variant, place) => ({ ...variant, route: rule.variants[place]?.route ?? 0 }));
    const changed = await calls.change(id, rule.id, { variants: sent });
    expect(changed.variants[0]?.route).toBe(a?.route);
    expect(changed.variants[1]?.route).not.toBe(b?.route);
    await calls.update(id, { end: { visits: 9, target: 'https://after.example/' } });
    const end = (await calls.read(id)).routing.end?.route ?? 0;
    await calls.update(id, { end: null });
    const [other] = (await calls.add(id, { variants: [{ target: 'https://d.example/', route: end }] }))
      .variants;
    expect(other?.route).not.toBe(end);
    await calls.update(id, {
      rules: [{ ...rule, variants: [{ ...b, percent: 100, target: 'https://e.example/' }] }],
    });
    expect((await calls.read(id)).routing.rules[0]?.variants[0]?.route).not.toBe(b?.route);
    await calls.update(id, { rules: [rule] });
    expect((await calls.read(id)).routing.rules).toEqual([rule]);
  });

  test('sent as a whole with numbers that occur twice get others', async () => {
    const rule = await calls.add(id, { variants: to('https://a.example/', 'https://b.example/') });
    await calls.update(id, { rules: [rule, rule, { ...rule, id: 900 }] });
    const { rules } = (await calls.read(id)).routing;
    expect(rules[0]).toEqual(rule);
    const numbers = rules.flatMap((one) => [one.id, ...one.variants.map(({ route }) => route)]);
    expect([rules.length, new Set(numbers).size]).toEqual([3, 9]);
    expect(Math.max(...numbers)).toBeLessThan(20);
  });

  test('keep the figures of a target that is written in Unicode and stored in ASCII', async () => {
    const rule = await calls.add(id, { variants: to('https://xn--bcher-kva.example/') });
    const [shown] = (await calls.read(id)).routing.rules;
    expect(shown?.variants[0]?.target).toBe('https://bücher.example/');
    const changed = await calls.change(id, rule.id, { ...german, variants: shown?.variants ?? [] });
    expect(changed.variants[0]?.route).toBe(rule.variants[0]?.route);
  });

  test('come with what is wrong with them', async () => {
    const all = await calls.add(id, { variants: to('https://a.example/') });
    const covered = await calls.add(id, { ...german, variants: to('https://login.evil.example/') });
    await runCommand(host.deps, {
      command: 'block-target',
      subject: 'evil.example',
      reason: 'steals',
      operator: 'ada',
    });
    const { warnings, code } = await calls.read(id);
    expect(warnings).toEqual([
      { rule: covered.id, code: 'after_all', by: [all.id] },
      { rule: covered.id, code: 'target_blocked', by: [] },
    ]);
    expect(code.blocked).toMatchObject({ scope: 'host', host: 'evil.example' });
  });

  test('can be tried without a visit', async () => {
    await calls.add(id, { ...german, weekdays: [1], timeZone: 'Europe/Berlin' });
    const tried = await calls.send(
      'GET',
      `${id}/routing/trial?at=2026-03-03T10:00:00Z&language=de&system=ios`,
    );
    expect((await tried.json()).data).toMatchObject({
      answer: 'content',
      variants: [{ target: 'https://destination.example/' }],
      rules: [{ outcome: 'differs', failed: [{ condition: 'weekday', reason: 'different' }] }],
    });
    const refused = await calls.send(
      'GET',
      `${id}/routing/trial?at=now&language=German&country=x&system=palm`,
    );
    expect(await problemsOf(refused)).toEqual([
      422,
      {
        at: ['moment_invalid'],
        language: ['language_invalid'],
        country: ['country_invalid'],
        system: ['system_invalid'],
      },
    ]);
  });
});

describe('pause, end and schedule', () => {
  test('are set and removed one by one, and listed in short', async () => {
    const at = '2026-04-01T08:00:00.000Z';
    await calls.update(id, { pause: { message: ' back soon ' } });
    await calls.update(id, { end: { at, message: '' }, schedule: { at, target: 'next.example' } });
    const { routing } = await calls.read(id);
    expect(routing).toMatchObject({
      pause: { message: 'back soon' },
      end: { at, visits: null, target: null, reachedAt: null },
      schedule: { at, target: 'https://next.example' },
    });
    const listed = await host.request('/api/qrcodes', { token: owner.token });
    expect((await listed.json()).data[0].routing).toEqual({
      rules: 0,
      isPaused: true,
      hasEnded: false,
      end: { at, visits: null },
      changesAt: at,
    });
    await calls.update(id, { pause: null, end: null, schedule: null });
    const code = await host.request(`/api/qrcodes/${id}`, { token: owner.token });
    expect((await code.json()).data.code.routing).toBeNull();
  });

  test.each([
    [{ end: { at: '2026-03-02T09:58:00Z' } }, { 'routing/end/at': ['end_past'] }],
    [{ end: { at: '2026-03-02T09:59:30Z' } }, undefined],
    [{ end: {} }, { at: ['end_required'] }],
    [{ end: { visits: 1, target: 'x y' } }, { 'routing/end/target': ['link_invalid'] }],
    [
      { schedule: { at: '2026-03-02T09:58:00Z', target: 'https://a.example/' } },
      { 'routing/schedule/at': ['schedule_past'] },
    ],
    [
      { schedule: { at: '2026-03-03T09:58:00Z', target: '' } },
      { 'routing/schedule/target': ['content_required'] },
    ],
    [{ pause: { message: 'x'.repeat(301) } }, { message: ['message_too_long'] }],
  ] as [object, Record<string, string[]> | undefined][])('%j is answered with %j', async (change, errors) => {
    expect(await problemsOf(await calls.update(id, change))).toEqual([errors ? 422 : 200, errors]);
  });

  test('an end by visits is more than there are', async () => {
    for (let n = 0; n < 3; n += 1) await host.request(`/r/${slug}`);
    expect(await problemsOf(await calls.update(id, { end: { visits: 3 } }))).toEqual([
      422,
      { 'routing/end/visits': ['end_visits_passed'] },
    ]);
    expect((await calls.update(id, { end: { visits: 4 } })).status).toBe(200);
  });

  test('an end that came by its visits stays, unless it gets more of them or none', async () => {
    await calls.update(id, { end: { visits: 2, message: 'sold out' } });
    const readEnd = async () => {
      const { code, routing } = await calls.read(id);
      return [code.routing?.hasEnded, routing.end?.reachedAt];
    };
    const visit = async () => (await host.request(`/r/${slug}`)).headers.get('location');
    await expect.poll(async () => (await visit()) && readEnd()).toEqual([true, '2026-03-02T10:00:00.000Z']);
    const at = '2026-04-01T00:00:00.000Z';
    const target = 'https://after.example/';
    for (const end of [
      { visits: 2, at },
      { visits: 2, message: 'gone' },
      { visits: 2, at, target },
    ]) {
      expect((await calls.update(id, { end })).status).toBe(200);
      expect(await readEnd()).toEqual([true, '2026-03-02T10:00:00.000Z']);
    }
    await expect.poll(visit).toBe(target);
    await calls.update(id, { end: { visits: 999, at } });
    expect(await readEnd()).toEqual([false, null]);
    await expect.poll(visit).toBe('https://destination.example/');
  });

  test('are for every type with visits; a schedule only for those that redirect', async () => {
    const text = await host.code(owner.id, { type: 'text', content: 'hello' });
    expect((await calls.update(text.id, { pause: { message: '' }, end: { visits: 9 } })).status).toBe(200);
    expect((await calls.update(text.id, { rules: [] })).status).toBe(200);
    const schedule = { at: '2026-04-01T08:00:00Z', target: 'https://a.example/' };
    expect(await problemsOf(await calls.update(text.id, { schedule }))).toEqual([
      422,
      { 'routing/schedule': ['rules_unsupported'] },
    ]);
    const wifi = await host.code(owner.id, { type: 'wifi', content: 'WIFI:T:WPA;S:Cafe;P:espresso123;;' });
    expect(await problemsOf(await calls.update(wifi.id, { pause: { message: '' } }))).toEqual([
      422,
      { 'routing/pause': ['routing_static'] },
    ]);
  });
});

describe('the history', () => {
  test('has every change, and any of them can be sent back', async () => {
    const rule = await calls.add(id, german);
    host.clock.advance(1_000);
    await calls.update(id, { pause: { message: 'back soon' } });
    host.clock.advance(1_000);
    await calls.update(id, { pause: null });
    host.clock.advance(1_000);
    await calls.send('DELETE', `${id}/rules/${rule.id}`);
    const [deleted, resumed, paused, added] = await calls.changes(id);
    expect([deleted, resumed, paused, added].map((change) => change?.field)).toEqual([
      'rules',
      'pause',
      'pause',
      'rules',
    ]);
    expect([added?.before, deleted?.after, paused?.before]).toEqual(['', '', '']);
    await calls.update(id, {
      rules: JSON.parse(deleted?.before ?? ''),
      pause: JSON.parse(resumed?.before ?? ''),
    });
    expect((await calls.read(id)).routing).toMatchObject({ rules: [rule], pause: { message: 'back soon' } });
  });

  test('is not written by a change to what is there already', async () => {
    const rule = await calls.add(id, german);
    await calls.add(id, german);
    await calls.change(id, rule.id, german);
    await calls.update(id, { pause: null });
    expect(await calls.changes(id)).toHaveLength(1);
  });

  test('and the rules are in the export of the account', async () => {
    const rule = await calls.add(id, german);
    const kept = await host.request('/api/account/export', { token: owner.token });
    const { codes } = (await kept.json()).data;
    expect(codes[0]).toMatchObject({
      id,
      routing: { rules: [rule], pause: null },
      changes: [{ field: 'rules' }],
    });
  });
});

test('without a subscription rules can be read, without their figures, and not be changed', async () => {
  await calls.add(id, german);
  host.clock.advance(31 * 24 * 3_600_000);
  const late = await host.account({ access: false });
  const free = await host.code(late.id);
  const { figures, routing } = await routingCalls(host, late.token).read(free.id);
  expect([figures, routing.rules]).toEqual([null, []]);
  expect((await routingCalls(host, late.token).send('POST', `${free.id}/rules`, german)).status).toBe(402);
  host.clock.advance(-31 * 24 * 3_600_000);
});
