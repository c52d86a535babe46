import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportAccount } from '#contract/accounts';
import { getOverview } from '#contract/dashboard';
import { CODE_COLUMNS, EXPORT_LIMIT, STATISTICS_FILES } from '#contract/exports';
import { searchCodes } from '#contract/statistics';
import { codes } from '#host/db/codes.tables';
import { accountKeyOf } from '#host/visits/count/account-key';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { readCsv } from './read-csv';
import { visitOf } from './visit-stream';

const DAILY = '/api/qrcodes/stats/daily.csv';
const CODES = '/api/qrcodes/codes.csv';

let host: TestHost;
let lapsed: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  lapsed = await host.account({ access: false });
});
afterAll(() => host.close());

async function download(path: string, { token } = lapsed) {
  const answered = await host.request(path, { token });
  expect([
    answered.status,
    answered.headers.get('content-type'),
    answered.headers.get('cache-control'),
  ]).toEqual([200, 'text/csv; charset=utf-8; header=present', 'no-store']);
  return readCsv(Buffer.from(await answered.arrayBuffer()).toString());
}

test('an account without a subscription and without codes can download both files', async () => {
  expect(await download(CODES)).toEqual({ columns: [...CODE_COLUMNS], rows: [] });
  const { columns, rows } = await download(`${DAILY}?period=7`);
  expect(columns).toEqual([...STATISTICS_FILES['daily.csv']]);
  expect(rows.map(({ day, visits }) => [day, visits])).toEqual(
    ['2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'].map(
      (day) => [day, '0'],
    ),
  );
});

test('contents stored encoded are in every file and search as their owner would write them', async () => {
  const account = await host.account();
  const { id } = await host.code(account.id, { content: 'https://example.com/caf%C3%A9' });
  await host.recorder.record(visitOf(id, '2026-03-02T09:00:00Z'));
  await host.recorder.idle();
  await send(host, 'PATCH', `/api/qrcodes/${id}`, { visibility: 'private' }, account);
  const found = await send(host, 'GET', '/api/qrcodes/stats/codes?text=example.com', undefined, account);
  const overview = await send(host, 'GET', '/api/dashboard/overview', undefined, account);
  const exported = await send(host, 'GET', '/api/account/export', undefined, account);
  const contents = [
    (await download(CODES, account)).rows[0]?.content,
    (await download('/api/qrcodes/stats/code-days.csv?period=7', account)).rows[0]?.content,
    searchCodes.response.parse(found.body).data.codes[0]?.content,
    getOverview.response.parse(overview.body).data.recentActivities[0]?.code?.content,
    exportAccount.response.parse(exported.body).data.activities[0]?.code?.content,
  ];
  expect(contents).toEqual(contents.map(() => 'https://example.com/café'));
});

test('the row of a code has its content, its link, and its counts', async () => {
  const account = await host.account({ access: false });
  const { id, slug } = await host.code(account.id, {
    type: 'email',
    content: 'a@b.example',
    subject: '=HYPERLINK("https://evil.example")',
    body: 'Dear all,\nwelcome',
    visibility: 'private',
    name: '=1+1',
    tags: ['@menu', 'Été'],
  });
  await host.request(`/r/${slug}`);
  await host.recorder.record(visitOf(id, '2026-03-02T09:59:59.500Z', { source: 'click' }));
  await host.recorder.record(visitOf(id, '2026-03-02T10:30:00Z', { class: 'bot' }));
  await host.recorder.idle();
  expect((await download(CODES, account)).rows).toEqual([
    {
      id,
      type: 'email',
      content: 'a@b.example',
      visibility: 'private',
      subject: `'=HYPERLINK("https://evil.example")`,
      body: 'Dear all,\nwelcome',
      link: `https://go.quadrille.example/l/${slug}`,
      scan_link: `https://GO.QUADRILLE.EXAMPLE/R/${slug}`,
      created_at: '2026-03-02T10:00:00.000Z',
      updated_at: '2026-03-02T10:00:00.000Z',
      visits: '2',
      scans: '1',
      clicks: '1',
      others: '1',
      last_visit_at: '2026-03-02T10:00:00.000Z',
      name: "'=1+1",
      tags: "'@menu, Été",
      archived_at: '',
      blocked_at: '',
      blocked_reason: '',
      counted: 'true',
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      utm_more: '',
      final_address: '',
    },
  ]);
});

test('codes beyond one page are all there once, newest first, without deleted and foreign ones', async () => {
  const [account, other] = [await host.account(), await host.account()];
  await host.code(other.id);
  const first = await host.code(account.id);
  const [made] = await host.db.orm.select().from(codes).limit(1);
  if (!made) throw new Error('there is a code');
  const many = Array.from({ length: 1_100 }, (_, i) => ({
    ...made,
    id: crypto.randomUUID(),
    accountId: account.id,
    slug: `Y${i}`,
    number: i + 2,
    content: `https://example.com/${i}`,
  }));
  await host.db.orm.insert(codes).values(many);
  await send(host, 'DELETE', `/api/qrcodes/${first.id}`, undefined, account);
  const { rows } = await download(CODES, account);
  expect(rows.map(({ content }) => content)).toEqual(many.map(({ content }) => content).reverse());
});

test.each([499, 500, 501, 1_000])('of %i codes all are in the file once', async (count) => {
  const account = await host.account();
  const { id } = await host.code(account.id);
  await host.db.orm.execute(sql`insert into codes
      (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
    select gen_random_uuid(), account_id, ${`${id.slice(0, 8)}-`} || n, n, type, 'https://example.com/' || n, visibility,
      false, created_at, updated_at from codes, generate_series(2, ${count}::int) as n where id = ${id}`);
  const answered = await host.request(CODES, account);
  const text = Buffer.from(await answered.arrayBuffer()).toString();
  const lines = text.split('\r\n');
  expect([lines[0], lines.at(-1), lines.length]).toEqual([`\uFEFF${CODE_COLUMNS.join(',')}`, '', count + 2]);
  expect(new Set(lines.map((line) => line.split(',')[2])).size).toBe(count + 2);
});

test('engagements are empty in a period without measured visitors, and zero on a day of another', async () => {
  const account = await host.account();
  const code = await host.code(account.id, { type: 'text', content: 'x' });
  await host.request(`/r/${code.slug}`);
  const read = async (from: string, to: string) =>
    (await download(`${DAILY}?from=${from}&to=${to}`, account)).rows.map(
      ({ day, measured_visitors, distinct_engagements, engagements }) =>
        `${day} ${measured_visitors} ${distinct_engagements} ${engagements}`,
    );
  expect(await read('2026-03-01', '2026-03-01')).toEqual(['2026-03-01 0  ']);
  expect(await read('2026-03-01', '2026-03-02')).toEqual(['2026-03-01 0 0 0', '2026-03-02 1 0 0']);
});

test('days are those of the requested time zone, range or period', async () => {
  const account = await host.account({ access: false });
  const code = await host.code(account.id);
  host.clock.set(new Date('2026-04-02T10:00:00Z'));
  const { token } = await host.account();
  expect((await download(DAILY, { ...account, token })).rows).toHaveLength(30);
  host.clock.set(new Date('2026-03-30T21:30:00Z'));
  await host.request(`/r/${code.slug}`);
  const query = `from=2026-03-28&to=2026-03-30&timeZone=Europe/Paris&code=${code.id}`;
  const { rows } = await download(`${DAILY}?${query}`, account);
  expect(
    rows.map(({ day, hours, visits, unique_visitors }) => [day, hours, visits, unique_visitors]),
  ).toEqual([
    ['2026-03-28', '24', '0', '0'],
    ['2026-03-29', '23', '0', '0'],
    ['2026-03-30', '24', '1', '1'],
  ]);
  host.clock.set(new Date('2026-03-02T10:00:00Z'));
});

describe('files about the visits of an account', () => {
  let account: TestAccount;
  let menu: Awaited<ReturnType<TestHost['code']>>;
  let poster: Awaited<ReturnType<TestHost['code']>>;
  const fileOf = async (name: string, query = 'period=30') =>
    (await download(`/api/qrcodes/stats/${name}.csv?${query}`, account)).rows;

  beforeAll(async () => {
    account = await host.account({ access: false });
    menu = await host.code(account.id, { name: 'Menu', tags: ['table'] });
    poster = await host.code(account.id, { name: '=Poster' });
    const foreign = await host.code((await host.account()).id);
    const deleted = await host.code(account.id);
    const visits = [
      visitOf(menu.id, '2026-02-27T22:30:00Z', { language: 'de', country: 'DE' }),
      visitOf(menu.id, '2026-02-27T22:30:00Z', { language: 'de', country: 'DE', source: 'click' }),
      visitOf(menu.id, '2026-02-28T08:00:00Z', { class: 'bot' }),
      visitOf(poster.id, '2026-03-01T08:00:00.125Z', { language: '' }),
      visitOf(foreign.id, '2026-03-01T08:00:00Z'),
      visitOf(deleted.id, '2026-03-01T08:00:00Z'),
    ];
    await Promise.all(visits.map((visit) => host.recorder.record(visit)));
    await host.recorder.idle();
    await send(host, 'DELETE', `/api/qrcodes/${deleted.id}`, undefined, account);
  });

  test('has each code on each of its days in the requested time zone', async () => {
    const shown = async (query?: string) =>
      (await fileOf('code-days', query)).map(({ code_name, day, visits, scans, clicks, bots }) =>
        [code_name, day, visits, scans, clicks, bots].join(' '),
      );
    const [menuDay, menuBot] = ['Menu 2026-02-27 2 1 1 0', 'Menu 2026-02-28 0 0 0 1'];
    expect(await shown()).toEqual(["'=Poster 2026-03-01 1 1 0 0", menuDay, menuBot]);
    expect(await shown(`period=30&code=${menu.id}`)).toEqual([menuDay, menuBot]);
    expect(await shown('period=30&tag=Table')).toEqual([menuDay, menuBot]);
    expect(await shown(`period=30&code=${menu.id}&timeZone=Europe/Berlin`)).toEqual([menuDay, menuBot]);
    const tokyo = await shown(`period=30&code=${menu.id}&timeZone=Asia/Tokyo`);
    expect(tokyo).toEqual(['Menu 2026-02-28 2 1 1 1']);
    expect(await shown('from=2026-03-02&to=2026-03-02')).toEqual([]);
  });

  test('has the hours of the day and the values of each dimension', async () => {
    const hours = await fileOf('hours', 'period=30&timeZone=Europe/Berlin');
    expect(hours).toHaveLength(24);
    expect(hours.filter(({ visits }) => visits !== '0')).toEqual([
      { hour: '9', visits: '2' },
      { hour: '23', visits: '2' },
    ]);
    const values = await fileOf('breakdowns', `period=30&code=${poster.id}`);
    expect(values.map(({ dimension, value, visits }) => `${dimension} ${value} ${visits}`)).toEqual([
      'country  1',
      'device phone 1',
      'language  1',
      'os ios 1',
    ]);
  });

  test('has every single visit once, oldest first, and none of others or of deleted codes', async () => {
    expect(await fileOf('visits')).toEqual([
      expect.objectContaining({ at: '2026-02-27T22:30:00.000Z', code_id: menu.id, code_name: 'Menu' }),
      expect.objectContaining({ at: '2026-02-27T22:30:00.000Z', language: 'de', country: 'DE' }),
      expect.objectContaining({ at: '2026-02-28T08:00:00.000Z', class: 'bot', source: 'scan' }),
      {
        at: '2026-03-01T08:00:00.125Z',
        code_id: poster.id,
        code_name: "'=Poster",
        source: 'scan',
        class: 'human',
        outcome: 'served',
        device: 'phone',
        os: 'ios',
        language: '',
        country: '',
      },
    ]);
    expect(await fileOf('visits', `period=30&code=${poster.id}`)).toHaveLength(1);
    expect(await fileOf('visits', 'period=30&tag=table')).toHaveLength(3);
    expect(await fileOf('visits', 'from=2026-02-28&to=2026-02-28')).toHaveLength(1);
  });

  test('separates columns by semicolons if asked to, with the same byte order mark', async () => {
    const { token } = account;
    for (const path of [CODES, '/api/qrcodes/stats/visits.csv']) {
      const answered = await host.request(`${path}?separator=semicolon`, { token });
      const [head, first] = Buffer.from(await answered.arrayBuffer())
        .toString()
        .split('\r\n');
      expect(head).toMatch(/^\uFEFF\w+(;\w+){9,}$/);
      expect(first?.split(';').length).toBe(head?.split(';').length);
    }
    const refused = await send(host, 'GET', `${CODES}?separator=tab`, undefined, account);
    expect(refused.body.errors).toEqual({ separator: ['separator_invalid'] });
  });
});

test('visits of the same millisecond beyond one page are all there once', async () => {
  const account = await host.account({ access: false });
  const { id } = await host.code(account.id);
  const key = accountKeyOf(account.id);
  await host.db.orm.execute(sql`insert into visits
      (code_id, at, source, class, outcome, device, os, language, country, account_key)
    select ${id}::uuid, '2026-03-01T12:00:00Z'::timestamptz, 'scan', 'human', 'served', n::text, 'ios', '', '', ${key}::int
    from generate_series(1, 4001) as n`);
  const { rows } = await download('/api/qrcodes/stats/visits.csv?period=7', account);
  expect(rows).toHaveLength(4_001);
  expect(new Set(rows.map(({ device }) => device)).size).toBe(4_001);
});

test.each([
  ['period=8', 422, 'period', 'period_invalid'],
  ['period=07', 422, 'period', 'period_invalid'],
  ['period=7&from=2026-02-01&to=2026-02-02', 422, 'period', 'period_ambiguous'],
  ['from=2026-02-01', 422, 'to', 'range_incomplete'],
  ['from=2026-03-01&to=2026-03-09', 422, 'to', 'range_future'],
  ['timeZone=Nowhere', 422, 'timeZone', 'time_zone_invalid'],
  ['code=nonsense', 422, 'code', 'code_invalid'],
])('the query %s is refused', async (query, status, field, code) => {
  const refused = await send(host, 'GET', `${DAILY}?${query}`, undefined, lapsed);
  expect([refused.status, refused.body.errors?.[field]]).toEqual([status, [code]]);
});

test('a file of another name is not found', async () => {
  for (const name of ['weekly.csv', 'daily', 'toString', '%00'])
    expect((await send(host, 'GET', `/api/qrcodes/stats/${name}`, undefined, lapsed)).status).toBe(404);
});

test('the days of another account’s code are not found', async () => {
  const foreign = await host.code((await host.account()).id);
  expect((await send(host, 'GET', `${DAILY}?code=${foreign.id}`, undefined, lapsed)).status).toBe(404);
});

test('downloads of both kinds share one rate limit per account', async () => {
  const { token } = await host.account({ access: false });
  const answers = [];
  for (let file = 0; file <= EXPORT_LIMIT.files; file += 1) {
    answers.push(await host.request(file % 2 === 0 ? CODES : `${DAILY}?period=7`, { token }));
  }
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toEqual([...Array.from({ length: EXPORT_LIMIT.files }, () => 200), 429]);
  const refused = answers.at(-1);
  expect(Number(refused?.headers.get('retry-after'))).toBe(EXPORT_LIMIT.seconds);
  expect(await refused?.json()).toMatchObject({ code: 'rate_limited' });
  expect((await host.request(`${DAILY}?period=8`, { token })).status).toBe(422);
  expect((await host.request(CODES, lapsed)).status).toBe(200);
  host.clock.advance(EXPORT_LIMIT.seconds * 1000 - 1);
  expect((await host.request(CODES, { token })).status).toBe(429);
  host.clock.advance(1);
  expect((await host.request(CODES, { token })).status).toBe(200);
});
