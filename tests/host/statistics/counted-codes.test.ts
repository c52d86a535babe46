import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCodes, selectCodes } from '#contract/codes';
import { getStatistics } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { readPeriod } from '#host/statistics/period';
import { countCodes } from '#host/statistics/ranked-codes';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

const ago = (ms: number) => new Date(START.getTime() - ms);

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function ask(owner: TestAccount, body: object) {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, owner);
  return getStatistics.response.parse(answered.body).data;
}

async function visit(codeId: string, ...times: (Date | string)[]) {
  const at = times.map((time) => new Date(time).toISOString());
  await Promise.all(at.map((time) => host.recorder.record(visitOf(codeId, time))));
  await host.recorder.idle();
}

test('a code is active until thirty days after its last visit, alone and among others', async () => {
  const owner = await host.account();
  const active = await host.code(owner.id);
  const quiet = await host.code(owner.id, { type: 'text', content: 'quiet' });
  await visit(active.id, ago(30 * DAY_MS));
  await visit(quiet.id, ago(30 * DAY_MS + 1));
  const activeIn = async (code: string | null) =>
    (await ask(owner, { period: 7, code })).figures.active_codes.value;
  expect([await activeIn(null), await activeIn(active.id), await activeIn(quiet.id)]).toEqual([1, 1, 0]);
});

test('a selection counts codes visited until thirty days ago, by id as by filter', async () => {
  const owner = await host.account();
  const [active, quiet] = [await host.code(owner.id), await host.code(owner.id)];
  await host.code(owner.id);
  await visit(active.id, ago(30 * DAY_MS));
  await visit(quiet.id, ago(30 * DAY_MS + 1));
  const visited = async (body: object) => {
    const answered = await send(host, 'POST', '/api/qrcodes/selection', body, owner);
    return selectCodes.response.parse(answered.body).meta.visited;
  };
  expect(await visited({ countsVisited: true })).toBe(1);
  expect(await visited({ countsVisited: true, ids: [active.id, quiet.id] })).toBe(1);
  expect(await visited({ countsVisited: true, ids: [quiet.id] })).toBe(0);
  expect(await visited({})).toBeUndefined();
});

test('the list counts visits from the first moment of the last 30 UTC days, folded or not', async () => {
  const owner = await host.account();
  const [code, deleted] = [await host.code(owner.id), await host.code(owner.id)];
  await host.code(owner.id);
  await visit(code.id, '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z', '2026-02-20T12:00:00Z', START);
  await visit(deleted.id, '2026-02-20T12:00:00Z');
  await host.request(`/api/qrcodes/${deleted.id}`, { method: 'DELETE', token: owner.token });
  const counted = async () => {
    const answered = await send(host, 'GET', '/api/qrcodes', undefined, owner);
    const { data, meta } = listCodes.response.parse(answered.body);
    return { codes: data.map(({ visits30 }) => visits30), all: meta.visits30 };
  };
  expect(await counted()).toEqual({ codes: [0, 3], all: 4 });
  await foldOldDays(host.db, host.clock.now());
  expect(await counted()).toEqual({ codes: [0, 3], all: 4 });
});

test('codes created from the first to the last moment of the period are new', async () => {
  const owner = await host.account();
  const made: string[] = [];
  // 1 March in Paris.
  for (const at of ['02-28T22:59:59.999', '02-28T23:00:00.000', '03-01T22:59:59.999', '03-01T23:00:00.000'])
    made.push((await host.code(owner.id, { createdAt: new Date(`2026-${at}Z`) })).id);
  const createdIn = async (code: string | null) => {
    const day = { from: '2026-03-01', to: '2026-03-01', timeZone: 'Europe/Paris', code };
    return (await ask(owner, day)).figures.recently_created.value;
  };
  expect(await createdIn(null)).toBe(2);
  expect(await Promise.all(made.map(createdIn))).toEqual([0, 1, 1, 0]);
});

test('types with most codes come first, and equal ones in the order of their names', async () => {
  const owner = await host.account();
  for (const type of ['text', 'link', 'email', 'text'] as const)
    await host.code(owner.id, { type, content: 'a@b.example' });
  const { distribution } = await ask(owner, {});
  expect(distribution.types).toEqual([
    { type: 'text', codes: 2, visits: 0 },
    { type: 'email', codes: 1, visits: 0 },
    { type: 'link', codes: 1, visits: 0 },
  ]);
});

test('visits of one code are those of its type on UTC days, and no more', async () => {
  const owner = await host.account();
  const [code, other] = [await host.code(owner.id), await host.code(owner.id)];
  await visit(code.id, '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z');
  await visit(other.id, '2026-03-01T10:00:00Z');
  const day = { from: '2026-03-01', to: '2026-03-01', code: code.id };
  const { distribution, mostActive, figures } = await ask(owner, day);
  expect(distribution.types).toEqual([{ type: 'link', codes: 1, visits: 1 }]);
  expect([figures.visits.value, figures.total_codes.value, mostActive.codes]).toEqual([1, 1, []]);
});

test('the most active codes are five, by visits from the first to the last UTC day, equal ones by id', async () => {
  const owner = await host.account();
  const codes = [];
  for (let n = 0; n < 7; n += 1) codes.push(await host.code(owner.id));
  const [most, second, early, late, ...equal] = codes.map(({ id }) => id);
  await visit(most ?? '', '2026-02-27T00:00:00Z', '2026-02-27T12:00:00Z', '2026-03-01T23:59:59Z');
  await visit(second ?? '', '2026-02-28T00:00:00Z', '2026-02-28T00:00:00Z');
  // Also one whose last visit was at the first moment.
  for (const [n, id] of equal.entries())
    await visit(id, n === 0 ? '2026-02-27T00:00:00Z' : '2026-02-28T10:00:00Z');
  // Many visits, but none of them on the days asked for.
  await visit(early ?? '', ...Array.from({ length: 4 }, () => '2026-02-26T23:59:59Z'));
  await visit(late ?? '', ...Array.from({ length: 4 }, () => '2026-03-02T00:00:00Z'));
  const expected = [[most, 3], [second, 2], ...[...equal].sort().map((id) => [id, 1])];
  const ranked = async () => {
    const { mostActive } = await ask(owner, { from: '2026-02-27', to: '2026-03-01' });
    return mostActive.codes.map(({ id, visits }) => [id, visits]);
  };
  expect(await ranked()).toEqual(expected);
  await foldOldDays(host.db, host.clock.now());
  expect(await ranked()).toEqual(expected);
  const days = { from: '2026-02-27', to: '2026-03-01', timeZone: 'UTC', code: null, tag: null };
  const { ranked: four } = await countCodes(
    host.db.orm,
    owner.id,
    { period: readPeriod(days, host.clock.now()), wanted: null },
    4,
    host.clock.now(),
  );
  expect(four.map(({ id, visits }) => [id, visits])).toEqual(expected.slice(0, 4));
});

test('of six codes with one to six visits the five with most are listed', async () => {
  const owner = await host.account();
  const codes: { id: string; visits: number }[] = [];
  for (let visits = 1; visits <= 6; visits += 1) {
    const { id } = await host.code(owner.id);
    await visit(id, ...Array.from({ length: visits }, () => '2026-03-01T10:00:00Z'));
    codes.unshift({ id, visits });
  }
  const { mostActive } = await ask(owner, { period: 7 });
  expect(mostActive.codes.map(({ id, visits }) => ({ id, visits }))).toEqual(codes.slice(0, 5));
});

test('the most active code of the period is found behind more than fifty with more visits in total', async () => {
  const owner = await host.account();
  const rising = await host.code(owner.id);
  const tied = await host.code(owner.id);
  const old: string[] = [];
  for (let n = 0; n < 55; n += 1) old.push((await host.code(owner.id)).id);
  await visit(rising.id, ...Array.from({ length: 3 }, () => '2026-03-01T10:00:00Z'));
  await visit(tied.id, '2026-03-01T10:00:00Z');
  for (const id of old) await visit(id, ...Array.from({ length: 4 }, () => '2026-01-01T10:00:00Z'));
  // Each of the old ones was also visited once in the period.
  for (const id of old) await visit(id, '2026-03-01T11:00:00Z');
  const { mostActive } = await ask(owner, { from: '2026-03-01', to: '2026-03-01' });
  expect(mostActive.codes.map(({ id, visits }) => [id, visits])).toEqual([
    [rising.id, 3],
    ...[tied.id, ...old]
      .sort()
      .slice(0, 4)
      .map((id) => [id, 1]),
  ]);
});

test('visitors of a link are measured from the day of its first report, alone and by tag', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id, { tags: ['Menu'] });
  await host.db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, count, visitors)
    select ${code.id}, day, 'scan', 'human', 1, 1 from generate_series('2026-02-26'::timestamptz, '2026-02-28', '1 day') as day`);
  await host.db.orm.execute(sql`insert into code_beacons (code_id, since) values (${code.id}, '2026-02-27')`);
  await host.db.orm.execute(sql`insert into code_engagements (code_id, day, engagements, engaged) values
    (${code.id}, '2026-02-25', 9, 9), (${code.id}, '2026-02-26', 1, 1), (${code.id}, '2026-02-28', 2, 1),
    (${code.id}, '2026-03-01', 9, 9)`);
  const figuresIn = async (filter: object) => {
    const { figures } = await ask(owner, { from: '2026-02-26', to: '2026-02-28', ...filter });
    return [
      figures.unique_visitors.value,
      figures.engagements.value,
      figures.distinct_engagements.value,
      figures.conversion_rate.value,
    ];
  };
  for (const filter of [{ code: code.id }, { tag: 'menu' }])
    expect([filter, await figuresIn(filter)]).toEqual([filter, [3, 3, 2, 1]]);
  const before = { from: '2026-02-26', to: '2026-02-26' };
  for (const filter of [{ code: code.id }, { tag: 'menu' }])
    expect(await figuresIn({ ...filter, ...before })).toEqual([1, null, null, null]);
});

test('a tag counts all its codes, more than are read at once, with robots apart and without deleted ones', async () => {
  const owner = await host.account();
  const codes: string[] = [];
  for (let n = 0; n < 201; n += 1) codes.push((await host.code(owner.id, { tags: ['many'] })).id);
  const gone = await host.code(owner.id, { tags: ['many'] });
  const [first = '', second = ''] = codes;
  await host.db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, device, count, visitors)
    select id, '2026-03-01T10:00:00Z', 'scan', 'human', 'phone', 2, 1 from codes where account_id = ${owner.id}`);
  for (const kind of ['bot', 'preview', 'owner'] as const)
    await host.recorder.record(visitOf(first, '2026-03-02T09:00:00Z', { class: kind }));
  await host.recorder.record(visitOf(second, '2026-03-02T09:00:00Z', { source: 'click' }));
  await host.recorder.idle();
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, owner);
  const count = async () => {
    const { figures, distribution, devices } = await ask(owner, { period: 7, tag: 'many' });
    const values = (['visits', 'scans', 'clicks', 'bots', 'previews', 'owner'] as const).map(
      (name) => figures[name].value,
    );
    return [values, figures.unique_visitors.value, distribution.types, devices.values];
  };
  const expected = [
    [403, 402, 1, 1, 1, 1],
    202,
    [{ type: 'link', codes: 201, visits: 403 }],
    [{ value: 'phone', visits: 403 }],
  ];
  expect(await count()).toEqual(expected);
  await foldOldDays(host.db, host.clock.now());
  expect(await count()).toEqual(expected);
  await foldOldDays(host.db, new Date(START.getTime() + DAY_MS));
  expect(await count()).toEqual(expected);
});
