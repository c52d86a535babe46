import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatistics, type Statistics } from '#contract/statistics';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

async function ask(body: object = {}, token = account.token): Promise<Statistics> {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, { token });
  expect(answered.status).toBe(200);
  return getStatistics.response.parse(answered.body).data;
}

async function refuse(body: unknown) {
  const { status, body: answer } = await send(host, 'POST', '/api/qrcodes/stats', body, account);
  return { status, errors: answer.errors };
}

async function visit(codeId: string, at: string, fields: Parameters<typeof visitOf>[2] = {}): Promise<void> {
  await host.recorder.record(visitOf(codeId, at, fields));
  await host.recorder.idle();
}

test('an account without codes has zeros, and null for ratios', async () => {
  const empty = await host.account();
  const { figures, trend, hours, mostActive, distribution, period, devices } = await ask({}, empty.token);
  expect(Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value]))).toEqual({
    visits: 0,
    scans: 0,
    clicks: 0,
    total_codes: 0,
    active_codes: 0,
    recently_created: 0,
    unique_visitors: 0,
    bots: 0,
    previews: 0,
    owner: 0,
    average_per_code: null,
    conversion_rate: null,
    actions_per_visitor: null,
    distinct_engagements: null,
    engagements: null,
  });
  expect(trend.days).toHaveLength(30);
  expect([period.from, period.to]).toEqual(['2026-02-01', '2026-03-02']);
  expect(hours.visits).toEqual(Array.from({ length: 24 }, () => 0));
  expect([mostActive.codes, distribution.types, devices.values]).toEqual([[], [], []]);
});

test('every figure has a definition', async () => {
  const { figures, ...parts } = await ask();
  for (const [name, figure] of Object.entries(figures)) expect(figure.definition).toBe(name);
  for (const part of ['mostActive', 'trend', 'visitorsByDay', 'distribution', 'hours', 'devices'] as const) {
    expect(parts[part].definition).toMatch(/^[a-z_]+$/);
  }
});

test('figures of codes count new and active ones, and list the busiest', async () => {
  const owner = await host.account();
  const [busy, calm, old] = [
    await host.code(owner.id, { name: 'Busy', content: 'https://busy.example/' }),
    await host.code(owner.id, { type: 'text', content: 'calm' }),
    await host.code(owner.id, { createdAt: new Date('2025-12-01T00:00:00Z') }),
  ];
  await visit(old.id, '2026-01-20T10:00:00Z');
  for (const minute of [0, 1, 2]) await visit(busy.id, `2026-03-01T10:0${minute}:00Z`);
  await visit(calm.id, '2026-03-01T10:00:00Z', { source: 'click' });
  await visit(calm.id, '2026-03-01T10:00:00Z', { class: 'bot' });
  const { figures, mostActive, distribution } = await ask({ period: 7 }, owner.token);
  const figureOf = (name: keyof typeof figures) => figures[name].value;
  expect([figureOf('scans'), figureOf('clicks'), figureOf('visits'), figureOf('bots')]).toEqual([3, 1, 4, 1]);
  expect([figureOf('total_codes'), figureOf('active_codes'), figureOf('recently_created')]).toEqual([
    3, 2, 2,
  ]);
  expect(figureOf('average_per_code')).toBeCloseTo(4 / 3);
  expect([figureOf('unique_visitors'), figureOf('actions_per_visitor')]).toEqual([1, 4]);
  expect(figureOf('conversion_rate')).toBe(0);
  expect(mostActive.codes).toEqual([
    { id: busy.id, type: 'link', name: 'Busy', content: 'https://busy.example/', visits: 3 },
    { id: calm.id, type: 'text', name: null, content: 'calm', visits: 1 },
  ]);
  expect(distribution.types).toEqual([
    { type: 'link', codes: 2, visits: 3 },
    { type: 'text', codes: 1, visits: 1 },
  ]);
});

test('visits of deleted codes count for their type, even if no code of it is left', async () => {
  const owner = await host.account();
  const [link, text, other] = [
    await host.code(owner.id),
    await host.code(owner.id, { type: 'text', content: 'gone' }),
    await host.code(owner.id),
  ];
  for (const { id } of [link, text, other]) await visit(id, '2026-03-01T10:00:00Z');
  for (const { id } of [text, other]) await send(host, 'DELETE', `/api/qrcodes/${id}`, undefined, owner);
  const { figures, distribution, devices } = await ask({}, owner.token);
  expect(distribution.types).toEqual([
    { type: 'link', codes: 1, visits: 2 },
    { type: 'text', codes: 0, visits: 1 },
  ]);
  expect([figures.total_codes.value, figures.visits.value, devices.values[0]?.visits]).toEqual([1, 3, 3]);
});

test('the most active codes are counted by UTC days, even if the last local day is not over', async () => {
  const owner = await host.account();
  const { id } = await host.code(owner.id);
  for (const at of ['2026-03-01T12:00:00Z', '2026-03-02T00:30:00Z']) await visit(id, at);
  const activeIn = async (to: string, timeZone: string) => {
    const { mostActive, distribution } = await ask({ from: '2026-02-20', to, timeZone }, owner.token);
    return [mostActive.codes.map(({ visits }) => visits), distribution.types.map(({ visits }) => visits)];
  };
  host.clock.set(new Date('2026-03-02T02:00:00Z'));
  expect(await activeIn('2026-03-01', 'America/Los_Angeles')).toEqual([[1], [1]]);
  expect(await activeIn('2026-03-02', 'Asia/Tokyo')).toEqual([[2], [2]]);
  host.clock.set(new Date('2026-03-02T10:00:00Z'));
});

test('a day on which clocks change has 23 or 25 hours, with its visits', async () => {
  host.clock.set(new Date('2026-11-01T10:00:00Z'));
  const { id, token } = await host.account();
  const code = await host.code(id);
  await visit(code.id, '2026-03-28T22:59:00Z');
  await visit(code.id, '2026-03-28T23:00:00Z');
  await visit(code.id, '2026-03-29T21:59:00Z');
  await visit(code.id, '2026-03-29T22:00:00Z');
  await visit(code.id, '2026-10-25T22:59:00Z');
  const spring = await ask({ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Paris' }, token);
  expect(spring.trend.days.map(({ day, hours, scans }) => [day, hours, scans])).toEqual([
    ['2026-03-28', 24, 1],
    ['2026-03-29', 23, 2],
    ['2026-03-30', 24, 1],
  ]);
  expect(spring.hours.visits[0]).toBe(2);
  expect(spring.hours.visits[23]).toBe(2);
  expect(spring.period.startsAt).toBe('2026-03-27T23:00:00.000Z');
  expect(spring.period.endsAt).toBe('2026-03-30T22:00:00.000Z');
  const autumn = await ask({ from: '2026-10-25', to: '2026-10-25', timeZone: 'Europe/Paris' }, token);
  expect(autumn.trend.days.map(({ day, hours, scans }) => [day, hours, scans])).toEqual([
    ['2026-10-25', 25, 1],
  ]);
  host.clock.set(new Date('2026-03-02T10:00:00Z'));
});

test.each([
  ['Asia/Beirut', '2026-03-29', 23, '2026-03-28T22:00:00.000Z'],
  ['Asia/Beirut', '2026-10-24', 25, '2026-10-23T21:00:00.000Z'],
  ['Africa/Cairo', '2026-04-24', 23, '2026-04-23T22:00:00.000Z'],
  ['America/Santiago', '2026-04-04', 25, '2026-04-04T03:00:00.000Z'],
  ['America/Santiago', '2026-09-06', 23, '2026-09-06T04:00:00.000Z'],
])('in %s the clocks change at midnight: %s has %i hours', async (timeZone, date, hours, startsAt) => {
  host.clock.set(new Date('2026-11-01T10:00:00Z'));
  const { id, token } = await host.account();
  const code = await host.code(id);
  const begin = Date.parse(startsAt);
  for (const ms of [begin - 1, begin, begin + hours * 3_600_000 - 1, begin + hours * 3_600_000])
    await visit(code.id, new Date(ms).toISOString());
  const { trend, period } = await ask({ from: date, to: date, timeZone }, token);
  expect(trend.days).toEqual([expect.objectContaining({ day: date, hours, scans: 2 })]);
  expect(period.startsAt).toBe(startsAt);
  host.clock.set(new Date('2026-03-02T10:00:00Z'));
});

test('codes of other accounts, deleted and unknown codes are not found', async () => {
  const other = await host.account();
  const foreign = await host.code(other.id);
  const gone = await host.code(account.id);
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, account);
  for (const code of [foreign.id, gone.id, randomUUID()]) {
    expect({ code, ...(await refuse({ code })) }).toEqual({ code, status: 404, errors: undefined });
  }
});

test.each([
  ['a period nobody offers', { period: 8 }, 'period', 'period_invalid'],
  ['a period in words', { period: '30' }, 'period', 'period_invalid'],
  ['a period and dates', { period: 7, from: '2026-02-01', to: '2026-02-02' }, 'period', 'period_ambiguous'],
  ['half a range', { from: '2026-02-01' }, 'to', 'range_incomplete'],
  ['the other half', { to: '2026-02-01' }, 'from', 'range_incomplete'],
  ['a range backwards', { from: '2026-02-02', to: '2026-02-01' }, 'from', 'range_reversed'],
  ['more than a leap year', { from: '2025-01-01', to: '2026-01-02' }, 'from', 'range_too_long'],
  ['a future range', { from: '2026-03-01', to: '2026-03-03' }, 'to', 'range_future'],
  ['an invalid day', { from: '2026-02-30', to: '2026-03-01' }, 'from', 'date_invalid'],
  ['days before the product', { from: '2019-12-31', to: '2020-01-01' }, 'from', 'date_invalid'],
  ['a date with a time', { from: '2026-02-01T00:00:00Z', to: '2026-03-01' }, 'from', 'date_invalid'],
  ['an unknown time zone', { timeZone: 'Europe/Atlantis' }, 'timeZone', 'time_zone_invalid'],
  ['a zone far too long', { timeZone: 'x'.repeat(500) }, 'timeZone', 'time_zone_invalid'],
  ['a zone with a null byte', { timeZone: 'UTC\u0000' }, 'timeZone', 'time_zone_invalid'],
  ['a code that is no id', { code: "1'--" }, 'code', 'code_invalid'],
  ['a list of codes', { code: [] }, 'code', 'code_invalid'],
])('%s is refused', async (_, body, field, code) => {
  const refused = await refuse(body);
  expect(refused.status).toBe(422);
  expect(refused.errors?.[field]).toContain(code);
});

test('today is the current day of the time zone', async () => {
  host.clock.set(new Date('2026-03-02T23:30:00Z'));
  expect((await ask({ period: 7, timeZone: 'Europe/Paris' })).period.to).toBe('2026-03-03');
  expect((await ask({ period: 7, timeZone: 'UTC' })).period.to).toBe('2026-03-02');
  expect((await ask({ period: 7, timeZone: 'Pacific/Honolulu' })).period.to).toBe('2026-03-02');
  host.clock.set(new Date('2026-03-02T10:00:00Z'));
});

test.each([
  ['Europe/Paris', 0],
  ['Asia/Kolkata', 30],
  ['Asia/Kathmandu', 45],
  ['America/St_Johns', 30],
  // Half an hour in winter, none in summer: the maximum of the period counts.
  ['Australia/Lord_Howe', 30],
])(
  'in %s %i minutes of a day count for the day before, and the response says so',
  async (timeZone, minutes) => {
    const { period } = await ask({ from: '2025-07-01', to: '2026-01-31', timeZone });
    expect(period.lateMinutes).toBe(minutes);
  },
);

test('visits just after midnight in India count for the day before, as the response says', async () => {
  const owner = await host.account();
  const { id } = await host.code(owner.id);
  // 0:29 and 0:31 on 2 March in India.
  for (const at of ['2026-03-01T18:59:00Z', '2026-03-01T19:01:00Z']) await visit(id, at);
  const { trend, hours } = await ask({ period: 7, timeZone: 'Asia/Kolkata' }, owner.token);
  expect(trend.days.slice(-2).map(({ day, scans }) => [day, scans])).toEqual([
    ['2026-03-01', 1],
    ['2026-03-02', 1],
  ]);
  expect([hours.visits[23], hours.visits[0]]).toEqual([1, 1]);
});

test('statistics can be filtered by tag, over today and folded days', async () => {
  const owner = await host.account();
  const [link, text] = [
    await host.code(owner.id, { name: 'Menu', tags: ['Été'] }),
    await host.code(owner.id, { type: 'text', content: 'hello', tags: ['Été', 'other'] }),
  ];
  const outside = await host.code(owner.id);
  for (const [at, id] of [
    ['2026-02-27T09:00:00Z', link.id],
    ['2026-02-27T10:00:00Z', link.id],
    ['2026-02-27T10:00:00Z', outside.id],
    ['2026-03-02T08:00:00Z', text.id],
    ['2026-03-02T08:00:00Z', outside.id],
  ] as const)
    await visit(id, at);
  const read = async (body: object) => {
    const { figures, distribution, mostActive, trend, tag, devices, hours } = await ask(body, owner.token);
    const named = Object.entries(figures).map(([name, { value }]) => [name, value]);
    const days = trend.days.filter(({ scans, clicks }) => scans + clicks > 0);
    const ranked = mostActive.codes.map(({ id, visits }) => [id, visits]);
    return {
      figures: Object.fromEntries(named),
      types: distribution.types,
      ranked,
      days,
      tag,
      devices,
      hours,
    };
  };
  const before = await read({ tag: ' ETE ' });
  await foldOldDays(host.db, host.clock.now());
  const after = await read({ tag: 'été' });
  expect(after).toEqual(before);
  expect(after.tag).toBe('Été');
  expect(after.figures).toMatchObject({ visits: 3, total_codes: 2, active_codes: 2 });
  expect(after.ranked).toEqual([
    [link.id, 2],
    [text.id, 1],
  ]);
  expect(after.types).toEqual([
    { type: 'link', codes: 1, visits: 2 },
    { type: 'text', codes: 1, visits: 1 },
  ]);
  expect(after.days.map(({ day, scans, clicks }) => [day, scans + clicks])).toEqual([
    ['2026-02-27', 2],
    ['2026-03-02', 1],
  ]);
  expect((await read({ tag: 'other' })).figures).toMatchObject({ visits: 1, total_codes: 1 });
  expect((await read({ tag: 'other', code: link.id })).figures).toMatchObject({ visits: 2 });
  expect((await read({ tag: '' })).figures).toMatchObject({ visits: 5, total_codes: 3 });
  for (const tag of ['unknown', 'x'.repeat(50)])
    expect((await send(host, 'POST', '/api/qrcodes/stats', { tag }, owner)).status).toBe(404);
  expect((await send(host, 'POST', '/api/qrcodes/stats', { tag: 'other' }, account)).status).toBe(404);
  for (const tag of ['\u0000', 'y'.repeat(10_000), 7])
    expect((await send(host, 'POST', '/api/qrcodes/stats', { tag }, owner)).status).toBe(422);
});
