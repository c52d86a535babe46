import { expect, test } from 'vitest';
import { RoutingChange, RuleInput } from '#contract/routing-schemas';

const target = 'https://a.example/';
const one = [{ target, percent: 100 }];

/** Message codes by the place of the field. */
function problemsOf(schema: typeof RuleInput | typeof RoutingChange, value: unknown): string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('/')} ${message}`);
}

test.each([
  [{}, []],
  [{ languages: ['DE'] }, ['languages/0 languages_invalid']],
  [
    { languages: Array.from({ length: 21 }, (_, n) => `a${String.fromCharCode(97 + n)}`) },
    ['languages languages_too_many'],
  ],
  [{ countries: ['de'] }, ['countries/0 countries_invalid']],
  [{ systems: ['windows'] }, ['systems/0 systems_invalid']],
  [{ weekdays: [0], timeZone: 'UTC' }, ['weekdays/0 weekdays_invalid']],
  [{ from: '9:00', to: '10:00', timeZone: 'UTC' }, ['from hours_invalid']],
  [{ from: '24:00', to: '10:00', timeZone: 'UTC' }, ['from hours_invalid']],
  [{ from: '09:00', timeZone: 'UTC' }, ['to hours_incomplete']],
  [{ to: '09:00', timeZone: 'UTC' }, ['from hours_incomplete']],
  [{ from: '09:00', to: '09:00', timeZone: 'UTC' }, ['to hours_equal']],
  [{ from: '22:00', to: '02:00', timeZone: 'Europe/Berlin' }, []],
  [{ weekdays: [1] }, ['timeZone time_zone_required']],
  [{ weekdays: [1], timeZone: 'Europe/Bonn' }, ['timeZone time_zone_invalid']],
  [{ startsOn: '2026-02-30', timeZone: 'UTC' }, ['startsOn date_invalid']],
  [{ startsOn: '2026-03-02', endsOn: '2026-03-01', timeZone: 'UTC' }, ['endsOn dates_reversed']],
  [{ startsOn: '2026-03-02', endsOn: '2026-03-02', timeZone: 'UTC' }, []],
  [{ variants: [] }, ['variants variants_required']],
  [{ variants: [{ target, percent: 99 }] }, ['variants percent_sum']],
  [
    {
      variants: [
        { target, percent: 50 },
        { target, percent: 50.5 },
      ],
    },
    ['variants/1/percent percent_invalid'],
  ],
  [
    {
      variants: [
        { target, percent: 0 },
        { target, percent: 100 },
      ],
    },
    ['variants/0/percent percent_invalid'],
  ],
  [
    { variants: Array.from({ length: 6 }, () => ({ target, percent: 10 })) },
    ['variants variants_too_many', 'variants percent_sum'],
  ],
] as [object, string[]][])('a rule with %j has the problems %j', (fields, problems) => {
  expect(problemsOf(RuleInput, { variants: one, ...fields })).toEqual(problems);
});

test('what a rule lists is kept once and in order', () => {
  const rule = RuleInput.parse({
    languages: ['fr', 'de', 'fr'],
    systems: ['other', 'ios'],
    weekdays: [5, 1, 5],
    timeZone: 'UTC',
    variants: one,
  });
  expect(rule).toMatchObject({ languages: ['de', 'fr'], systems: ['ios', 'other'], weekdays: [1, 5] });
});

test.each([
  [{ pause: { message: '' } }, []],
  [{ pause: { message: 'x'.repeat(300) } }, []],
  [{ pause: { message: 'x'.repeat(301) } }, ['pause/message message_too_long']],
  [{ pause: { message: 'a\u202eb' } }, ['pause/message bidi_controls']],
  [{ end: { message: 'over' } }, ['end/at end_required']],
  [{ end: { visits: 0 } }, ['end/visits visits_invalid']],
  [{ end: { at: '2026-03-02' } }, ['end/at moment_invalid']],
  [{ end: { at: '2026-03-02T10:00:00Z', visits: 5 } }, []],
  [{ schedule: { at: 'tomorrow', target } }, ['schedule/at moment_invalid']],
  [{ rules: Array.from({ length: 21 }, () => ({ variants: one })) }, ['rules rules_too_many']],
] as [object, string[]][])('a change to %j has the problems %j', (change, problems) => {
  expect(problemsOf(RoutingChange, change)).toEqual(problems);
});
