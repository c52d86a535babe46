import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#host/db/client';
import { accountKeyOf } from '#host/visits/count/account-key';
import { foldOldDays } from '#host/visits/count/fold';

export interface Sample {
  accountId: string;
  /** Number of visits, spread over the past year. */
  visits: number;
}

/**
 * Creates an account whose codes were created a minute apart. An odd factor makes their slugs, which have the host's
 * format, unique and spreads them.
 */
export async function makeCodes({ orm }: Database, codes: number): Promise<string> {
  const accountId = randomUUID();
  await orm.execute(sql`insert into accounts (id, email, created_at, code_count, last_code_number)
    values (${accountId}, ${`${accountId}@bench.example`}, now(), ${codes}, ${codes})`);
  await orm.execute(sql`insert into codes
      (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
    select gen_random_uuid(), ${accountId},
      upper(lpad(to_hex((existing.codes + n) * 2654435761 % 4294967296), 8, '0')), n,
      (array['link', 'link', 'link', 'text', 'email'])[1 + n % 5], 'https://destination.example/' || n, 'public', false,
      at, at
    from (select count(*) as codes from codes) as existing, generate_series(1, ${codes}::int) as n,
      lateral (select now() - interval '1 year' + n * interval '1 minute') as moment (at)`);
  await orm.execute(sql`insert into code_blocks (account_id, block, codes)
    select account_id, number / 500, count(*) from codes where account_id = ${accountId} group by 1, 2`);
  return accountId;
}

/** Names and tags (one of 100) the codes of an account, makes a third private, archives one in fifty and gives a quarter campaigns. */
export async function labelCodes({ orm }: Database, accountId: string): Promise<void> {
  await orm.execute(sql`insert into tags (account_id, key, label)
    select ${accountId}, 'tag ' || n, 'Tag ' || n from generate_series(0, 99) as n`);
  await orm.execute(sql`update codes set name = 'Table ' || md5(number::text),
      visibility = case when number % 3 = 0 then 'private' else 'public' end,
      archived_at = case when number % 50 = 0 then now() end,
      tag_ids = array[first.id + number % 100],
      campaign = case when number % 4 = 0 then '{"utm_campaign": "{tag}"}'::jsonb end
    from (select min(id) as id from tags where account_id = ${accountId}) as first
    where account_id = ${accountId}`);
  await orm.execute(sql`update accounts set archived_count = code_count / 50 where id = ${accountId}`);
  await orm.execute(sql`update code_blocks set codes = listed.codes from (
      select number / 500 as block, count(*) as codes from codes
      where account_id = ${accountId} and archived_at is null group by 1
    ) as listed where code_blocks.account_id = ${accountId} and code_blocks.block = listed.block`);
}

/** Adds a year of visits by people, bots and the owner, with all counters as the host would write them. */
export async function makeVisits(db: Database, { accountId, visits }: Sample): Promise<void> {
  // In one transaction, because a temporary table exists on one connection only.
  await db.orm.transaction(async (transaction) => {
    await transaction.execute(
      sql`create temporary table bench_visits on commit drop as ${randomVisits(accountId, visits)}`,
    );
    for (const statement of COUNTERS) await transaction.execute(statement);
    for (const statement of countersOf(accountId)) await transaction.execute(statement);
  });
  await foldOldDays(db, new Date());
}

function randomVisits(accountId: string, visits: number): SQL {
  return sql`
    select code_id, type, date_trunc('hour', at) as hour, (at at time zone 'UTC')::date as day, at, source, class,
      case when class = 'human' then device else '' end as device, case when class = 'human' then os else '' end as os,
      case when class = 'human' then language else '' end as language, visitor
    from (
      select own.id as code_id, own.type, now() - random() * interval '364 days' as at,
        (array['scan', 'scan', 'scan', 'click'])[1 + floor(random() * 4)::int] as source,
        (array['human', 'human', 'human', 'human', 'human', 'human', 'human', 'bot', 'preview', 'owner'])
          [1 + floor(random() * 10)::int] as class,
        (array['phone', 'phone', 'phone', 'tablet', 'desktop'])[1 + kind % 5] as device,
        (array['ios', 'android', 'android', 'ios', 'windows', 'macos'])[1 + kind % 6] as os,
        (array['fr', 'en', 'de', 'es', 'it', 'nl', 'pt', 'pl', ''])[1 + floor(random() * 9)::int] as language,
        floor(random() * ${visits} * 0.7)::bigint as visitor
      from (
        select floor(random() * 30)::int as kind, 1 + floor(random() * own_count)::int as number
        from generate_series(1, ${visits}::int),
          (select count(*) as own_count from codes where account_id = ${accountId}) as counted
      ) as numbered
      join codes own on own.account_id = ${accountId} and own.number = numbered.number
    ) as made`;
}

const PEOPLE = sql`bench_visits where class = 'human'`;

const COUNTERS = [
  sql`insert into visit_hours (code_id, hour, source, class, device, os, language, country, count, visitors)
    select code_id, hour, source, class, device, os, language, '', count(*), count(*) filter (where is_new)
    from (
      select *, class = 'human' and
        row_number() over (partition by code_id, day, visitor, class order by at) = 1 as is_new
      from bench_visits
    ) as seen
    group by 1, 2, 3, 4, 5, 6, 7`,
  sql`insert into code_totals (code_id, scans, clicks, others, last_at)
    select code_id, count(*) filter (where class = 'human' and source = 'scan'),
      count(*) filter (where class = 'human' and source = 'click'), count(*) filter (where class <> 'human'),
      max(at) filter (where class = 'human') from bench_visits group by 1`,
  sql`insert into code_marks (code_id, day, before)
    select code_id, day, sum(count) over (partition by code_id order by day) - count
    from (select code_id, day, count(*) as count from ${PEOPLE} group by 1, 2) as days`,
];

function countersOf(accountId: string): SQL[] {
  return [
    sql`insert into visits (code_id, at, source, class, outcome, device, os, language, country, account_key)
      select code_id, at, source, class, 'served', device, os, language, '', ${accountKeyOf(accountId)}::int
      from bench_visits where at > now() - interval '90 days' order by at`,
    sql`insert into account_hours (account_id, hour, scans, clicks, bots, previews, owner)
      select ${accountId}::uuid, hour, count(*) filter (where class = 'human' and source = 'scan'),
        count(*) filter (where class = 'human' and source = 'click'), count(*) filter (where class = 'bot'),
        count(*) filter (where class = 'preview'), count(*) filter (where class = 'owner')
      from bench_visits group by hour order by hour`,
    sql`insert into account_facets (account_id, day, facet, value, visits)
      select ${accountId}::uuid, day, facet, value, count(*) from bench_visits, lateral (
        values ('country', ''), ('device', device), ('language', language), ('os', os), ('type', type)
      ) as split (facet, value) where class = 'human' group by 2, 3, 4 order by 2, 3, 4`,
    sql`insert into account_days (account_id, day, visitors, measured, engaged, engagements)
      select ${accountId}::uuid, day, count(distinct visitor),
        count(distinct visitor) filter (where type in ('text', 'email')), 0, 0
      from ${PEOPLE} group by day order by day`,
  ];
}
