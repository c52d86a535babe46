import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { type Asked, decide, listFailures, matches } from '#contract/routing-decision';
import type { Conditions, Routing, Rule } from '#contract/routing-rules';
import { tryVisit } from '#contract/routing-trial';

const ANY: Conditions = {
  languages: [],
  systems: [],
  countries: [],
  weekdays: [],
  from: null,
  to: null,
  startsOn: null,
  endsOn: null,
  timeZone: null,
};
const berlin = { ...ANY, timeZone: 'Europe/Berlin' };
const asked = (fields: Partial<Asked> | string = {}): Asked => ({
  at: Date.parse(typeof fields === 'string' ? fields : '2026-03-02T10:00Z'),
  language: 'de',
  system: 'ios',
  country: 'AT',
  ...(typeof fields !== 'string' && fields),
});
const rule = (id: number, conditions: Partial<Conditions> = {}): Rule => ({
  ...ANY,
  ...conditions,
  id,
  variants: [{ route: id + 100, target: `https://r${id}.example/`, percent: 100 }],
});
const NONE: Routing = { rules: [], schedule: null, pause: null, end: null };
const first = () => 0;

describe('conditions', () => {
  test.each([
    ['no condition', ANY, asked(), []],
    ['its language', { ...ANY, languages: ['de', 'fr'] }, asked(), []],
    ['another language', { ...ANY, languages: ['fr'] }, asked(), ['language different']],
    ['no language', { ...ANY, languages: ['fr'] }, asked({ language: '' }), ['language unknown']],
    ['another system', { ...ANY, systems: ['android', 'other'] }, asked(), ['system different']],
    ['no country', { ...ANY, countries: ['DE'] }, asked({ country: '' }), ['country unknown']],
    [
      'everything else',
      { ...ANY, systems: ['android'], countries: ['DE'], languages: ['it'] },
      asked(),
      ['language different', 'system different', 'country different'],
    ],
  ] as [string, Conditions, Asked, string[]][])('with %s', (_, conditions, visit, failed) => {
    expect(listFailures(conditions, visit).map(({ condition, reason }) => `${condition} ${reason}`)).toEqual(
      failed,
    );
    expect(matches(conditions, visit)).toBe(failed.length === 0);
  });

  // 2 March 2026 is a Monday; Berlin is an hour ahead of UTC, two in summer.
  test.each([
    ['hours', { from: '11:00', to: '12:00' }, '2026-03-02T10:00Z', []],
    ['the end of hours', { from: '10:00', to: '11:00' }, '2026-03-02T10:00Z', ['hours different']],
    ['hours in summer', { from: '12:00', to: '13:00' }, '2026-07-06T10:00Z', []],
    ['hours before midnight', { from: '22:00', to: '02:00' }, '2026-03-02T22:30Z', []],
    ['hours after midnight', { from: '22:00', to: '02:00' }, '2026-03-03T00:59Z', []],
    ['hours that are over', { from: '22:00', to: '02:00' }, '2026-03-03T01:00Z', ['hours different']],
    ['a weekday', { weekdays: [1] }, '2026-03-02T10:00Z', []],
    ['a weekday there, not in UTC', { weekdays: [1] }, '2026-03-01T23:30Z', []],
    ['another weekday', { weekdays: [2, 7] }, '2026-03-02T10:00Z', ['weekday different']],
    ['the night of Friday', { weekdays: [5], from: '22:00', to: '02:00' }, '2026-03-07T00:30Z', []],
    [
      'the night of Saturday',
      { weekdays: [6], from: '22:00', to: '02:00' },
      '2026-03-07T00:30Z',
      ['weekday different'],
    ],
    ['its first day', { startsOn: '2026-03-02' }, '2026-03-01T23:00Z', []],
    ['the day before', { startsOn: '2026-03-02' }, '2026-03-01T22:59Z', ['dates before']],
    ['its last day', { endsOn: '2026-03-02' }, '2026-03-02T22:59Z', []],
    ['the day after', { endsOn: '2026-03-02' }, '2026-03-02T23:00Z', ['dates after']],
    ['the last night', { endsOn: '2026-03-02', from: '22:00', to: '02:00' }, '2026-03-03T00:30Z', []],
  ] as [string, Partial<Conditions>, string, string[]][])('%s', (_, conditions, at, failed) => {
    const failures = listFailures({ ...berlin, ...conditions }, asked(at));
    expect(failures.map(({ condition, reason }) => `${condition} ${reason}`)).toEqual(failed);
  });

  test('in any zone and year, a rule matches by what the clocks of its zone show', () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '59'))
      .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
    const conditions = fc.record({
      timeZone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 })),
      hours: fc.option(fc.tuple(time, time).filter(([from, to]) => from !== to)),
      at: fc.integer({ min: Date.UTC(2020, 0, 2), max: Date.UTC(2037, 11, 30) }),
      daysBefore: fc.option(fc.integer({ min: -2, max: 2 })),
      daysAfter: fc.option(fc.integer({ min: -2, max: 2 })),
    });
    fc.assert(
      fc.property(conditions, ({ timeZone, weekdays, hours, at, daysBefore, daysAfter }) => {
        const shown = DateTime.fromMillis(at, { zone: timeZone });
        const [from = null, to = null] = hours ?? [];
        const [clock, passesMidnight] = [shown.toFormat('HH:mm'), from !== null && to !== null && to < from];
        const began = passesMidnight && clock < (to ?? '') ? shown.minus({ days: 1 }) : shown;
        const startsOn = daysBefore === null ? null : (shown.minus({ days: daysBefore }).toISODate() ?? '');
        const endsOn = daysAfter === null ? null : (shown.plus({ days: daysAfter }).toISODate() ?? '');
        const date = began.toISODate() ?? '';
        const isWithin =
          from === null ||
          to === null ||
          (passesMidnight ? clock >= from || clock < to : clock >= from && clock < to);
        const expected =
          isWithin &&
          (weekdays.length === 0 || weekdays.includes(began.weekday)) &&
          (startsOn === null || date >= startsOn) &&
          (endsOn === null || date <= endsOn);
        expect(matches({ ...ANY, timeZone, weekdays, from, to, startsOn, endsOn }, asked({ at }))).toBe(
          expected,
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('decisions', () => {
  const decided = (routing: Partial<Routing>, visit = asked(), share = first) =>
    decide({ ...NONE, ...routing }, visit, share);

  test('the first rule that matches answers, else the content', () => {
    const rules = [rule(1, { systems: ['android'] }), rule(2, { languages: ['de'] }), rule(3)];
    expect(decided({ rules })).toEqual({ kind: 'target', target: 'https://r2.example/', route: 102 });
    expect(decided({ rules: rules.slice(0, 1) })).toEqual({ kind: 'target', target: null, route: 0 });
  });

  test('a scheduled target takes over from its second on, and rules come before it', () => {
    const schedule = { at: '2026-03-02T10:00:00.000Z', target: 'https://next.example/' };
    const at = Date.parse(schedule.at);
    expect(decided({ schedule }, asked({ at: at - 1 }))).toMatchObject({ target: null, route: 0 });
    expect(decided({ schedule }, asked({ at }))).toMatchObject({ target: 'https://next.example/', route: 0 });
    expect(decided({ schedule, rules: [rule(1)] }, asked({ at }))).toMatchObject({ route: 101 });
  });

  test('an end comes before rules, and a pause before an end', () => {
    const end = {
      at: '2026-03-02T10:00:00.000Z',
      visits: null,
      message: 'over',
      target: null,
      route: 0,
      reachedAt: null,
    };
    const at = Date.parse(end.at);
    expect(decided({ end, rules: [rule(1)] }, asked({ at: at - 1 }))).toMatchObject({ route: 101 });
    expect(decided({ end, rules: [rule(1)] }, asked({ at }))).toEqual({ kind: 'ended', message: 'over' });
    const elsewhere = { ...end, target: 'https://after.example/', route: 9 };
    expect(decided({ end: elsewhere })).toEqual({
      kind: 'target',
      target: 'https://after.example/',
      route: 9,
    });
    expect(decided({ end, pause: { message: 'back soon' } })).toEqual({
      kind: 'paused',
      message: 'back soon',
    });
    const counted = { ...end, at: null, visits: 5, reachedAt: '2026-03-02T09:00:00.000Z' };
    expect(decided({ end: counted })).toMatchObject({ kind: 'ended' });
    expect(decided({ end: { ...counted, reachedAt: null } })).toMatchObject({ target: null });
  });

  test('a split leads each share of the visitors to its variant', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 4 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), 100];
        const variants = ends.map((end, n) => ({
          route: n + 1,
          target: `https://v${n}.example/`,
          percent: end - (ends[n - 1] ?? 0),
        }));
        const counts = new Map<number, number>();
        for (let person = 0; person < 1_000; person += 1) {
          const decision = decided(
            { rules: [{ ...rule(1), variants }] },
            asked(),
            () => (person + 0.5) / 1_000,
          );
          const route = decision.kind === 'target' ? decision.route : 0;
          counts.set(route, (counts.get(route) ?? 0) + 1);
        }
        expect([...counts]).toEqual(variants.map(({ route, percent }) => [route, percent * 10]));
      }),
    );
  });
});

describe('a trial', () => {
  const rules = [
    rule(1, { countries: ['DE'], systems: ['android'] }),
    rule(2, { languages: ['de'] }),
    rule(3),
  ];

  test('says which rule answers, and why each other one does not', () => {
    expect(tryVisit({ ...NONE, rules }, 'https://own.example/', asked({ country: '' }))).toEqual({
      at: '2026-03-02T10:00:00.000Z',
      answer: 'rule',
      rule: 2,
      variants: [{ route: 102, target: 'https://r2.example/', percent: 100 }],
      message: '',
      rules: [
        {
          id: 1,
          outcome: 'differs',
          failed: [
            { condition: 'system', reason: 'different' },
            { condition: 'country', reason: 'unknown' },
          ],
        },
        { id: 2, outcome: 'answers', failed: [] },
        { id: 3, outcome: 'later', failed: [] },
      ],
    });
  });

  test('says so if the code is paused or has ended', () => {
    const paused = tryVisit({ ...NONE, rules, pause: { message: 'back soon' } }, null, asked());
    expect(paused).toMatchObject({ answer: 'paused', rule: null, message: 'back soon', variants: [] });
    expect(paused.rules.map(({ outcome }) => outcome)).toEqual(['differs', 'later', 'later']);
    const end = {
      at: '2026-03-01T00:00:00.000Z',
      visits: null,
      message: '',
      target: 'https://after.example/',
      route: 7,
      reachedAt: null,
    };
    expect(tryVisit({ ...NONE, end }, null, asked())).toMatchObject({
      answer: 'ended',
      variants: [{ route: 7, target: 'https://after.example/', percent: 100 }],
    });
  });

  test('names the content, or the target that has taken its place', () => {
    expect(tryVisit(NONE, 'https://own.example/', asked())).toMatchObject({
      answer: 'content',
      variants: [{ route: 0, target: 'https://own.example/', percent: 100 }],
    });
    expect(tryVisit(NONE, null, asked())).toMatchObject({ answer: 'content', variants: [] });
    const schedule = { at: '2026-03-01T00:00:00.000Z', target: 'https://next.example/' };
    expect(tryVisit({ ...NONE, schedule }, 'https://own.example/', asked())).toMatchObject({
      answer: 'schedule',
      variants: [{ target: 'https://next.example/' }],
    });
  });

  test('agrees with what a visit gets', () => {
    const condition = fc.record({
      languages: fc.subarray(['de', 'fr', 'it']),
      systems: fc.subarray(['ios', 'android', 'other'] as const),
      countries: fc.subarray(['DE', 'AT']),
    });
    const visit = fc.record({
      language: fc.constantFrom('de', 'fr', 'en', ''),
      system: fc.constantFrom('ios', 'android', 'other'),
      country: fc.constantFrom('DE', 'AT', 'CH', ''),
    });
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 6 }), visit, (conditions, fields) => {
        const routing = { ...NONE, rules: conditions.map((one, n) => rule(n + 1, one)) };
        const decision = decide(routing, asked(fields as Asked), first);
        const [variant] = tryVisit(routing, 'https://own.example/', asked(fields as Asked)).variants;
        expect(decision).toMatchObject({ kind: 'target', route: variant?.route });
      }),
    );
  });
});
