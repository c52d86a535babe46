import type { Database } from '#host/db/client';

/** Everything that recording visits stores. `code_id` is null for visits to unknown slugs. */
export async function readCounts(db: Database) {
  const read = async <Row>(text: string) => db.query<Row>({ name: '', text, values: [] });
  return {
    raw: await read<{ code_id: string | null; source: string; class: string; count: number }>(
      'select code_id, source, class, count(*) as count from visits group by 1, 2, 3 order by 1, 2, 3',
    ),
    hours: await read<{ code_id: string; source: string; class: string; count: number }>(
      'select code_id, source, class, sum(count)::bigint as count from visit_hours group by 1, 2, 3 order by 1, 2, 3',
    ),
    totals: await read<{
      code_id: string;
      scans: number;
      clicks: number;
      others: number;
      last_at: Date | null;
    }>('select code_id, scans, clicks, others, last_at from code_totals order by 1'),
    visitors: await read<{ code_id: string; day: string; count: number }>(
      'select code_id, day::text, count(*) as count from visitor_days group by 1, 2 order by 1, 2',
    ),
  };
}

/** Everything that recording visits stored for one code. */
export async function readCode(db: Database, codeId: string) {
  const counts = await readCounts(db);
  const of = <Row extends { code_id: string | null }>(rows: Row[]) =>
    rows.filter(({ code_id }) => code_id === codeId).map(({ code_id, ...row }) => row);
  return {
    raw: of(counts.raw),
    hours: of(counts.hours),
    totals: of(counts.totals).map(({ last_at, ...sums }) => sums),
    visitors: of(counts.visitors),
  };
}

export async function emptyVisits(db: Database): Promise<void> {
  const text =
    'truncate visits, visit_hours, code_totals, visitor_days, visit_lanes, visit_journal, visit_ids, visit_salts';
  await db.query({ name: '', text, values: [] });
}
