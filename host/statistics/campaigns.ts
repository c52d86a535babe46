import { type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { ResolvedFilter } from './figures';

type Values = { value: string; visits: number }[];

/** By name of the parameter. */
export type CampaignFigures = Record<'utm_campaign' | 'utm_source' | 'utm_medium', Values>;

const VALUES_LIMIT = 1_000;

/** Visits by people on the UTC days of a period, by the campaign parameters they were led to; most first. */
export async function readCampaigns(orm: Orm, filter: ResolvedFilter): Promise<CampaignFigures> {
  const { from, to } = filter.period;
  const rows = await readRows<{ name: keyof CampaignFigures; value: string; visits: string }>(
    orm,
    sql`select name, value, visits from (
      select case when grouping(campaign) = 0 then 'utm_campaign' when grouping(source) = 0 then 'utm_source'
          else 'utm_medium' end as name, coalesce(campaign, source, medium) as value, sum(visits)::bigint as visits,
        row_number() over (partition by grouping(campaign, source, medium) order by sum(visits) desc) as place
      from campaign_days where ${isWanted(filter)} and day between ${from} and ${to}
      group by grouping sets ((campaign), (source), (medium))
    ) as ranked where place <= ${VALUES_LIMIT} order by visits desc, value`,
  );
  const valuesOf = (wanted: keyof CampaignFigures) =>
    rows
      .filter(({ name }) => name === wanted)
      .map(({ value, visits }) => ({ value, visits: Number(visits) }));
  return {
    utm_campaign: valuesOf('utm_campaign'),
    utm_source: valuesOf('utm_source'),
    utm_medium: valuesOf('utm_medium'),
  };
}

function isWanted({ accountId, code, wanted }: ResolvedFilter): SQL {
  if (code) return sql`code_id = ${code.id}`;
  if (!wanted) return sql`account_id = ${accountId}`;
  return sql`code_id in (
    select id from codes
    where codes.account_id = ${accountId} and ${wanted} and deleted_at is null
  )`;
}
