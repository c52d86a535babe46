import { eq, sql } from 'drizzle-orm';
import type { RouteFigures } from '#contract/routing';
import { OWN_ROUTE } from '#contract/routing-rules';
import { DAY_MS, utcDay } from '#contract/time';
import type { Orm } from '#host/db/client';
import type { StoredRouting } from '#host/db/codes.tables';
import { routeDays } from '#host/db/visits.tables';

/** Visits by people to a code in the last days, by the route that they took. */
export async function readRouteFigures(
  orm: Orm,
  codeId: string,
  { rules, end }: StoredRouting,
  { days, now }: { days: number; now: Date },
): Promise<RouteFigures> {
  const [from, to] = [utcDay(now.getTime() - (days - 1) * DAY_MS), utcDay(now)];
  const isWithin = sql`${routeDays.day} between ${from} and ${to}`;
  const rows = await orm
    .select({
      route: routeDays.route,
      since: sql<string>`min(${routeDays.day})::text`,
      scans: sql<number>`coalesce(sum(${routeDays.scans}) filter (where ${isWithin}), 0)::float8`,
      clicks: sql<number>`coalesce(sum(${routeDays.clicks}) filter (where ${isWithin}), 0)::float8`,
    })
    .from(routeDays)
    .where(eq(routeDays.codeId, codeId))
    .groupBy(routeDays.route);
  const variants = rules.flatMap((rule) => rule.variants.map(({ route }) => route));
  const routes = new Set([OWN_ROUTE, ...variants, ...(end?.target ? [end.route] : [])]);
  const countsOf = (isCounted: (route: number) => boolean) => {
    const counted = rows.filter(({ route }) => isCounted(route));
    return {
      scans: counted.reduce((sum, { scans }) => sum + scans, 0),
      clicks: counted.reduce((sum, { clicks }) => sum + clicks, 0),
    };
  };
  return {
    period: { from, to, days },
    since: rows.map(({ since }) => since).sort()[0] ?? null,
    routes: [...routes].map((route) => ({ route, ...countsOf((one) => one === route) })),
    earlier: countsOf((route) => !routes.has(route)),
  };
}
