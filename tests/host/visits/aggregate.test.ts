import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Visit } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { createTestHost, type TestHost } from '../../support/host';
import { emptyFigures, visitOf } from '../statistics/visit-stream';

const HOUR = '2026-03-02T10:';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(() => emptyFigures(host.db));
afterAll(() => host.close());

const read = <Row>(text: string, values: unknown[] = []) => host.db.query<Row>({ name: '', text, values });

/** Counts each batch before it records the next one. */
async function countInTurn(batches: Visit[][]): Promise<void> {
  const recorder = new VisitRecorder(host.deps);
  for (const batch of batches) {
    await Promise.all(batch.map((visit) => recorder.record(visit)));
    await recorder.idle();
  }
  await recorder.close();
}

test('batches of the same hour add up in the figures of the account', async () => {
  const account = await host.account();
  const { id } = await host.code(account.id);
  const batch = (minute: string) => [
    visitOf(id, `${HOUR}${minute}:00Z`),
    visitOf(id, `${HOUR}${minute}:01Z`),
    visitOf(id, `${HOUR}${minute}:01Z`, { source: 'click' }),
    ...(['bot', 'preview', 'owner'] as const).map((kind) =>
      visitOf(id, `${HOUR}${minute}:02Z`, { class: kind }),
    ),
  ];
  await countInTurn([batch('00'), batch('20'), batch('40')]);
  expect(
    await read(
      'select scans, clicks, bots, previews, owner from account_hours where account_id = $1 order by hour',
      [account.id],
    ),
  ).toEqual([{ scans: 6, clicks: 3, bots: 3, previews: 3, owner: 3 }]);
});

test('robots, previews and the owner have one row an hour, without device, language or country', async () => {
  const { id } = await host.code((await host.account()).id);
  const kinds = ['bot', 'owner', 'preview'] as const;
  const batch = (language: string, country: string) =>
    kinds.map((kind) => visitOf(id, `${HOUR}00:00Z`, { class: kind, language, country }));
  await countInTurn([batch('de', 'DE'), batch('fr', 'FR')]);
  const text = `select class, device, os, language, country, count::int as count from visit_hours
    where code_id = $1 order by class`;
  expect(await read(text, [id])).toEqual(
    kinds.map((kind) => ({ class: kind, device: '', os: '', language: '', country: '', count: 2 })),
  );
});

test('a mark counts all visits before its day, including late ones', async () => {
  const { id } = await host.code((await host.account()).id);
  const visits = (day: string, count: number) =>
    Array.from({ length: count }, () => visitOf(id, `2026-03-${day}T10:00:00Z`));
  await countInTurn([
    visits('02', 2),
    visits('03', 3),
    visits('04', 4),
    visits('06', 1),
    [...visits('02', 6), ...visits('03', 5)],
  ]);
  expect(
    await read('select day::text, before from code_marks where code_id = $1 order by day', [id]),
  ).toEqual([
    { day: '2026-03-02', before: 0 },
    { day: '2026-03-03', before: 8 },
    { day: '2026-03-04', before: 16 },
    { day: '2026-03-06', before: 20 },
  ]);
});

test.each([
  ['of several days in one batch', [['02 02 03 03 03 04 05 05']]],
  ['of days between others', [['02 02'], ['08'], ['05 05 05'], ['06']]],
  ['of several days between others in one batch', [['02 02'], ['09'], ['04 05 05 07'], ['05 06']]],
  ['before all others', [['05 05'], ['06'], ['02 03 03'], ['01']]],
  ['of late and new days in one batch', [['02'], ['05'], ['03 05 06 07']]],
])('marks are exact for visits %s', async (_, batches) => {
  const { id } = await host.code((await host.account()).id);
  const days = batches.map(([batch = '']) => batch.split(' ').map((day) => `2026-03-${day}`));
  await countInTurn(days.map((batch) => batch.map((day) => visitOf(id, `${day}T10:00:00Z`))));
  const all = days.flat();
  const expected = [...new Set(all)].sort().map((day) => {
    return { day, before: all.filter((other) => other < day).length };
  });
  expect(
    await read('select day::text, before from code_marks where code_id = $1 order by day', [id]),
  ).toEqual(expected);
});
