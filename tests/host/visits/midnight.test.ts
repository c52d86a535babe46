import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openServer, type Query } from '#host/db/client';
import { insertBatch, parseVisits, serializeVisits } from '#host/visits/count/journal';
import { countVisits, NotClaimed } from '#host/visits/count/statements';
import { createMigratedDatabase } from '../../support/fresh-database';
import { createTestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';

const EVENING = '2026-03-02T23:59:00Z';
const MORNING = '2026-03-03T00:01:00Z';

test.each([
  ['the evening', EVENING, MORNING],
  ['the morning', MORNING, EVENING],
])(
  'when hosts concurrently count %s and the other side of midnight, the mark counts all visits before it',
  async (_, first, second) => {
    const { url, drop } = await createMigratedDatabase();
    const db = openServer(url, () => undefined);
    const host = await createTestHost({ db: { ...db, migrate: async () => undefined } });
    const other = new pg.Client(url);
    await other.connect();
    try {
      const account = await host.account();
      const code = await host.code(account.id);
      const owners = new Map([[code.id, { accountId: account.id, type: 'link' }]]);
      const read = <Row>(text: string) => db.query<Row>({ name: '', text, values: [] });
      /** Puts three visits into the journal; returns what counts them. */
      const leave = async (at: string) => {
        const visits = serializeVisits(
          [visitOf(code.id, at), visitOf(code.id, at), visitOf(code.id, at)],
          () => '7',
        );
        const batch = { lane: randomUUID(), number: 1, size: 3, at: Date.parse(at), visits };
        const [row] = await db.query<{ id: number }>(insertBatch(batch));
        const rows = [row?.id ?? 0];
        return (query: Query) =>
          countVisits(query, { rows, visits: parseVisits(visits, new Date(MORNING)), owners });
      };
      await db.inTransaction(await leave('2026-03-02T10:00:00Z'));
      const [held, waiting] = [await leave(first), await leave(second)];
      await other.query('begin');
      await held(async (statement) => (await other.query(statement)).rows);
      const counting = db.inTransaction(waiting).then(
        () => true,
        (error) => !(error instanceof NotClaimed),
      );
      await expect
        .poll(
          async () =>
            (
              await read(
                `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
              )
            ).length,
        )
        .toBe(1);
      await other.query('commit');
      if (!(await counting)) await db.inTransaction(waiting);
      expect(await read('select size from visit_journal')).toEqual([]);
      expect(await read('select day::text, before from code_marks order by day')).toEqual([
        { day: '2026-03-02', before: 0 },
        { day: '2026-03-03', before: 6 },
      ]);
    } finally {
      await other.end();
      await host.close();
      await db.close().catch(() => undefined);
      await drop();
    }
  },
);
