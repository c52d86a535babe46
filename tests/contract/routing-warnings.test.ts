import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Asked, matches } from '#contract/routing-decision';
import type { Conditions, Rule } from '#contract/routing-rules';
import { findWarnings } from '#contract/routing-warnings';

const NOW = Date.parse('2026-03-02T10:00Z');
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
const rulesOf = (list: Partial<Conditions>[]): Rule[] =>
  list.map((conditions, index) => ({
    ...ANY,
    ...conditions,
    id: index + 1,
    variants: [{ route: index + 1, target: 'https://a.example/', percent: 100 }],
  }));
const time = (conditions: Partial<Conditions>) => ({ timeZone: 'Europe/Berlin', ...conditions });
const warningsOf = (list: Partial<Conditions>[], endsAt: string | null = null) =>
  findWarnings(rulesOf(list), NOW, endsAt === null ? null : Date.parse(endsAt)).map(({ rule, code, by }) =>
    [`${rule} ${code}`, ...by].join(' '),
  );

test.each([
  ['rules that differ', [{ languages: ['de'] }, { languages: ['fr'] }, {}], []],
  [
    'a rule after one without conditions',
    [{}, { languages: ['fr'] }, {}],
    ['2 after_all 1', '3 after_all 1'],
  ],
  ['the same conditions', [{ languages: ['de', 'fr'] }, { languages: ['fr'] }], ['2 covered 1']],
  ['narrower ones first', [{ languages: ['fr'] }, { languages: ['de', 'fr'] }], []],
  ['more conditions', [{ languages: ['de'] }, { languages: ['de'], systems: ['ios'] }], ['2 covered 1']],
  ['fewer conditions', [{ languages: ['de'], systems: ['ios'] }, { languages: ['de'] }], []],
  [
    'several that cover it together',
    [{ systems: ['ios'] }, { countries: ['DE'] }, { systems: ['android', 'other'] }, { countries: ['FR'] }],
    ['4 covered 1 3'],
  ],
  [
    'every system',
    [{ systems: ['ios'] }, { systems: ['android'] }, { systems: ['other'] }, {}],
    ['4 covered 1 2 3'],
  ],
  [
    'a part of the hours',
    [time({ from: '17:00', to: '23:00' }), time({ from: '18:00', to: '20:00' })],
    ['2 covered 1'],
  ],
  ['hours beyond', [time({ from: '17:00', to: '23:00' }), time({ from: '18:00', to: '23:30' })], []],
  [
    'hours past midnight',
    [time({ from: '22:00', to: '04:00' }), time({ from: '01:00', to: '03:00' })],
    ['2 covered 1'],
  ],
  [
    'hours of another zone',
    [time({ from: '17:00', to: '23:00' }), time({ from: '18:00', to: '20:00', timeZone: 'UTC' })],
    [],
  ],
  ['a day of the week', [time({ weekdays: [1, 2] }), time({ weekdays: [2] })], ['2 covered 1']],
  [
    'the night of that day, which ends on the next',
    [time({ weekdays: [5] }), time({ weekdays: [5], from: '22:00', to: '02:00' })],
    [],
  ],
  [
    'dates within',
    [
      time({ startsOn: '2026-03-01', endsOn: '2026-04-01' }),
      time({ startsOn: '2026-03-05', endsOn: '2026-03-31' }),
    ],
    ['2 covered 1'],
  ],
  [
    'dates without an end',
    [time({ startsOn: '2026-03-01', endsOn: '2026-04-01' }), time({ startsOn: '2026-03-05' })],
    [],
  ],
  [
    'weekdays that lie between the dates',
    [time({ weekdays: [1, 2] }), time({ startsOn: '2026-03-02', endsOn: '2026-03-03' })],
    ['2 covered 1'],
  ],
  [
    'no weekday between its dates',
    [time({ weekdays: [7], startsOn: '2026-03-02', endsOn: '2026-03-07' }), {}],
    ['1 no_day'],
  ],
  ['a weekday at its last date', [time({ weekdays: [7], startsOn: '2026-03-02', endsOn: '2026-03-08' })], []],
  ['dates that are over', [time({ endsOn: '2026-03-01' })], ['1 dates_over']],
  ['a last day that is today', [time({ endsOn: '2026-03-02' })], []],
] as [string, Partial<Conditions>[], string[]][])('%s', (_, list, expected) => {
  expect(warningsOf(list)).toEqual(expected);
});

test('the last night is not over before it ends', () => {
  const night = rulesOf([time({ endsOn: '2026-03-01', from: '22:00', to: '02:00' })]);
  const codesAt = (at: string) => findWarnings(night, Date.parse(at), null).map(({ code }) => code);
  expect(codesAt('2026-03-02T00:30+01:00')).toEqual([]);
  expect(codesAt('2026-03-02T02:00+01:00')).toEqual(['dates_over']);
});

test('a rule that begins when the code has ended', () => {
  const list = [
    time({ startsOn: '2026-05-01' }),
    time({ startsOn: '2026-05-01', from: '08:00', to: '09:00' }),
  ];
  expect(warningsOf(list, '2026-04-30T22:00Z')).toEqual(['1 after_end', '2 covered 1', '2 after_end']);
  expect(warningsOf(list, '2026-04-30T22:01Z')).toEqual(['2 covered 1', '2 after_end']);
});

const LANGUAGES = ['de', 'fr', 'it'];
const COUNTRIES = ['DE', 'AT'];
const VISITS: Asked[] = [...LANGUAGES, 'en', ''].flatMap((language) =>
  (['ios', 'android', 'other'] as const).flatMap((system) =>
    [...COUNTRIES, 'CH', ''].map((country) => ({ at: NOW, language, system, country })),
  ),
);
const condition = fc.record({
  languages: fc.subarray(LANGUAGES),
  systems: fc.subarray(['ios', 'android', 'other'] as const),
  countries: fc.subarray(COUNTRIES),
});

test('of rules without a time, exactly those are pointed out that no visit reaches', () => {
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 8 }), (list) => {
      const rules = rulesOf(list as Partial<Conditions>[]);
      const answering = new Set(VISITS.map((visit) => rules.find((rule) => matches(rule, visit))?.id));
      const unreached = rules.filter(({ id }) => !answering.has(id)).map(({ id }) => id);
      expect(findWarnings(rules, NOW, null).map(({ rule }) => rule)).toEqual(unreached);
    }),
    { numRuns: 2_000 },
  );
});

test('rules that are covered by the time of others never answer', () => {
  const hours = fc.constantFrom<(string | null)[]>(
    ['00:00', '12:00'],
    ['10:00', '11:00'],
    ['22:00', '02:00'],
    ['23:00', '01:00'],
    [null, null],
  );
  const timed = fc.record({
    hours,
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 6 }),
    startsOn: fc.constantFrom(null, '2026-03-03', '2026-03-06'),
    endsOn: fc.constantFrom(null, '2026-03-07', '2026-03-10'),
  });
  const week = Array.from({ length: 14 * 24 * 2 }, (_, half) => NOW + half * 30 * 60_000);
  fc.assert(
    fc.property(fc.array(timed, { maxLength: 5 }), (list) => {
      const rules = rulesOf(
        list.map(({ hours, ...dates }) => {
          const [from = null, to = null] = hours;
          const isTimed =
            from !== null || dates.weekdays.length > 0 || dates.startsOn !== null || dates.endsOn !== null;
          return { ...dates, from, to, timeZone: isTimed ? 'Europe/Berlin' : null };
        }),
      );
      const visits = week.map((at) => ({ at, language: 'de', system: 'ios' as const, country: 'DE' }));
      const answering = new Set(visits.map((visit) => rules.find((rule) => matches(rule, visit))?.id));
      const warned = findWarnings(rules, NOW, null).map(({ rule }) => rule);
      expect(warned.filter((id) => answering.has(id ?? 0))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
