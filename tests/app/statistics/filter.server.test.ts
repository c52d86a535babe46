import { expect, test } from 'vitest';
import { queryOf, readFilter } from '~/statistics/filter.server';

const NOW = new Date('2026-03-02T23:30:00.000Z');
const CODE = '0b8f9c6e-4f0a-4c3d-9a55-0d5c7c1c9f11';

const read = (query: string, zone = 'Europe/London') => readFilter(new URLSearchParams(query), zone, NOW);

test('the default is the last 30 days of all codes in the default time zone', () => {
  const { filter, errors, values } = read('');
  expect(filter).toEqual({ period: 30, code: null, tag: null, timeZone: 'Europe/London' });
  expect(errors).toEqual({});
  expect(values).toEqual({
    period: '30',
    from: '',
    to: '',
    code: '',
    tag: '',
    campaign: '',
    timeZone: 'Europe/London',
  });
});

test('an unchanged form gives the same filter again', () => {
  const { filter, errors } = read('period=90&from=&to=&code=&timeZone=Asia%2FTokyo');
  expect(filter).toEqual({ period: 90, code: null, tag: null, timeZone: 'Asia/Tokyo' });
  expect(errors).toEqual({});
});

test('dates are used if the period is a range or not given', () => {
  const range = { from: '2026-01-01', to: '2026-01-31', code: null, tag: null, timeZone: 'Europe/London' };
  expect(read('period=range&from=2026-01-01&to=2026-01-31').filter).toEqual(range);
  expect(read('from=2026-01-01&to=2026-01-31').filter).toEqual(range);
  expect(read('period=7&from=2026-01-31&to=2026-01-01')).toMatchObject({
    filter: { period: 7 },
    errors: {},
    values: { from: '2026-01-31', to: '2026-01-01' },
  });
});

test.each([
  ['from=2025-03-02&to=2026-03-02', {}],
  ['from=2025-03-01&to=2026-03-02', { from: 'range_too_long' }],
  ['from=2020-01-01&to=2020-01-01', {}],
  ['from=2019-12-31&to=2020-01-01', { from: 'date_invalid' }],
  ['from=2026-03-02&to=2026-03-02', {}],
  ['from=2026-03-02&to=2026-03-03', { to: 'range_future' }],
  [`tag=${'x'.repeat(100)}`, {}],
])('at its limits %s has the errors %j', (query, errors) => {
  expect(read(query).errors).toEqual(errors);
});

const mistakes: [query: string, errors: object][] = [
  ['period=range&from=2026-02-02&to=2026-02-01', { from: 'range_reversed' }],
  ['period=range&from=2024-01-01&to=2026-02-01', { from: 'range_too_long' }],
  ['period=range', { from: 'range_incomplete' }],
  ['period=range&from=2026-02-01', { to: 'range_incomplete' }],
  ['period=range&to=2026-02-01', { from: 'range_incomplete' }],
  ['period=range&from=yesterday&to=2026-02-01', { from: 'date_invalid' }],
  ['period=range&from=2026-02-30&to=2026-03-01', { from: 'date_invalid' }],
  ['period=range&from=1999-01-01&to=1999-01-02', { from: 'date_invalid', to: 'date_invalid' }],
  ['period=range&from=2026-03-01&to=2026-03-03', { to: 'range_future' }],
  ['period=31', { period: 'period_invalid' }],
  ['period=', {}],
  ['period=a%00b', { period: 'period_invalid' }],
  ['code=mine', { code: 'code_invalid' }],
  ['tag=a%00b', { tag: 'tag_invalid' }],
  ['timeZone=Mars%2FOlympus', { timeZone: 'time_zone_invalid' }],
];

test.each(mistakes)('%s', (query, errors) => {
  const answer = read(query);
  expect(answer.errors).toEqual(errors);
  expect(answer.filter).toEqual({ period: 30, code: null, tag: null, timeZone: 'Europe/London' });
});

test('invalid values are kept as typed, and valid ones are still used', () => {
  const { values, filter, errors } = read(
    `period=range&from=2026-02-02&to=2026-02-01&code=${CODE}&timeZone=UTC`,
  );
  expect(errors).toEqual({ from: 'range_reversed' });
  expect(values).toEqual({
    period: 'range',
    from: '2026-02-02',
    to: '2026-02-01',
    code: CODE,
    tag: '',
    campaign: '',
    timeZone: 'UTC',
  });
  expect(filter).toEqual({ period: 30, code: CODE, tag: null, timeZone: 'UTC' });
});

test('a tag is used only if no single code is chosen', () => {
  expect(read('tag=+Summer+')).toMatchObject({ filter: { tag: 'Summer' }, values: { tag: 'Summer' } });
  expect(read(`tag=Summer&code=${CODE}`)).toMatchObject({
    filter: { code: CODE, tag: null },
    values: { code: CODE, tag: '' },
  });
});

test('today is that of the chosen time zone', () => {
  const query = 'period=range&from=2026-03-01&to=2026-03-03';
  expect(read(`${query}&timeZone=Asia/Tokyo`).errors).toEqual({});
  expect(read(`${query}&timeZone=UTC`).errors).toEqual({ to: 'range_future' });
});

test('an overlong value is truncated and refused', () => {
  const { values, errors } = read(`code=${'x'.repeat(5_000)}`);
  expect(values.code).toHaveLength(100);
  expect(errors).toEqual({ code: 'code_invalid' });
});

test('the query string of a filter parses to the same filter', () => {
  for (const query of [
    'period=7',
    `from=2026-01-01&to=2026-01-31&code=${CODE}&timeZone=Asia/Tokyo`,
    'tag=a%26b',
  ]) {
    const { filter } = read(query);
    expect(read(queryOf(filter)).filter).toEqual(filter);
  }
});
