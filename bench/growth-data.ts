import { sql } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import type { Database } from '#host/db/client';
import { accountKeyOf } from '#host/visits/count/account-key';
import { makeCodes } from './statistics-data';

export const KEPT_DAYS = 89;
const VISITS_OF_A_CODE = 1_000;

/** Typical folded figures of a code's day with a dozen visits. */
const FIGURES = JSON.stringify({
  hours: { 8: [2, 0, 0, 0, 0], 12: [4, 1, 0, 0, 0], 18: [3, 0, 1, 0, 0] },
  facets: {
    os: { ios: 5, android: 5 },
    device: { phone: 9, tablet: 1 },
    country: { '': 10 },
    language: { fr: 6, en: 3, de: 1 },
  },
  visitors: 8,
});

/** The UTC day `ago` days before today. */
export function dayBefore(ago: number): string {
  return new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
}

/** Adds an account with a code per thousand visits, and visits and counters spread over `oldest` days. */
export async function addCrowd(db: Database, visits: number, oldest: number): Promise<void> {
  const { orm } = db;
  const accountId = await makeCodes(db, Math.ceil(visits / VISITS_OF_A_CODE));
  const own = sql`codes where account_id = ${accountId}`;
  for (let ago = oldest; ago >= 0; ago -= 1) {
    const perDay = Math.round(visits / (oldest + 1));
    await orm.execute(sql`insert into visits (code_id, at, source, class, outcome, device, os, language, country, account_key)
      select ids[1 + floor(random() * cardinality(ids))::int],
        ${dayBefore(ago)}::date::timestamp at time zone 'UTC' + n * interval '1 day' / ${perDay + 1}::int,
        'scan', 'human', 'served', 'phone', 'android', 'fr', '', ${accountKeyOf(accountId)}::int
      from (select array_agg(id) as ids from ${own}) as crowd, generate_series(1, ${perDay}::int) as n`);
    await orm.execute(sql`insert into code_marks (code_id, day, before)
      select id, ${dayBefore(ago)}::date, ${oldest - ago}::int * 12 from ${own}`);
    if (ago > 0)
      await orm.execute(sql`insert into day_figures (subject_id, day, figures)
        select id, ${dayBefore(ago)}::date, ${FIGURES} from ${own} order by id`);
    if (ago > 1) continue;
    await orm.execute(sql`insert into visitor_days (code_id, day, visitor)
      select code_id, ${dayBefore(ago)}::date, row_number() over () from visits
      where at >= ${`${dayBefore(ago)}T00:00:00Z`} and at < ${`${dayBefore(ago - 1)}T00:00:00Z`}
        and code_id in (select id from ${own})`);
  }
  await orm.execute(sql`insert into visit_hours (code_id, hour, source, class, device, os, language, count, visitors)
    select id, ${`${dayBefore(0)}T00:00:00Z`}::timestamptz + hour * interval '1 hour', 'scan', 'human', 'phone', 'android', 'fr', 1, 1
    from codes, generate_series(0, 11) as hour where account_id = ${accountId}`);
  await orm.execute(sql`insert into code_totals (code_id, scans, clicks, others, last_at)
    select id, ${VISITS_OF_A_CODE}, 0, 0, now() from ${own}`);
}
