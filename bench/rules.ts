import type { Database } from '#host/db/client';
import type { StoredRouting } from '#host/db/codes.tables';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import type { Loaded } from './redirect-load';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row, spread } from './row';

const CODES = 2_000;
const ROUNDS = 9;
const ROUND_SECONDS = 2;
/** Shares of what codes without rules have. */
const LEAST_RATE = 0.8;
const MOST_P99 = 1.1;

/** Counted redirects of codes with five rules, alternating with others at the same host. */
export function benchRules(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

interface Round {
  plain: Loaded;
  ruled: Loaded;
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const requests = await seed(await database.open(), CODES);
  const ruled = await giveRules(await database.open());
  const [withRules, without] = [true, false].map((isRuled) =>
    requests.filter((request) => ruled.has(request.slice(7, 15)) === isRuled),
  );
  const host = await start(hostProgram(), database.env);
  const load = (requests: string[] = [], seconds = ROUND_SECONDS) =>
    runLoad({ port: host.port, connections: CONNECTIONS, seconds, requests });
  await load(requests, 2);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ plain: await load(without), ruled: await load(withRules) });
  await stop(host.child);
  const rateOf = ({ plain, ruled }: Round) => ruled.perSecond / plain.perSecond;
  const rate = median(rounds, rateOf);
  const p99 = median(rounds, ({ plain, ruled }) => ruled.p99 / plain.p99);
  const perSecond = Math.round(median(rounds, ({ ruled }) => ruled.perSecond));
  return [
    {
      what: 'counted redirects per second of codes with five rules',
      figure: `${perSecond}/s = ${spread(rounds, (round) => rateOf(round) * 100)} %`,
      bar: `≥ ${LEAST_RATE * 100} %`,
      ok: rate >= LEAST_RATE,
      yardstick: `codes without rules ${Math.round(median(rounds, ({ plain }) => plain.perSecond))}/s`,
    },
    {
      what: 'p99 of a counted redirect of such a code',
      figure: `${median(rounds, ({ ruled }) => ruled.p99).toFixed(1)} ms = ${Math.round(p99 * 100)} %`,
      bar: `≤ ${Math.round(MOST_P99 * 100)} %`,
      ok: p99 <= MOST_P99,
      yardstick: `codes without rules ${median(rounds, ({ plain }) => plain.p99).toFixed(1)} ms`,
    },
  ];
}

/** Gives every other code five rules, of which the last answers; returns their slugs. */
async function giveRules(db: Database): Promise<Set<string>> {
  const rows = await db.query<{ slug: string }>({
    name: '',
    text: 'update codes set routing = $1 where number % 2 = 0 returning slug',
    values: [JSON.stringify(ROUTING)],
  });
  await db.close();
  return new Set(rows.map(({ slug }) => slug));
}

const ANY = { languages: [], systems: [], countries: [], weekdays: [], from: null, to: null };
const NO_TIME = { startsOn: null, endsOn: null, timeZone: null };
const to = (route: number, percent = 100) => {
  return { route, target: `https://destination.example/${route}`, percent };
};

const ROUTING: StoredRouting = {
  rules: [
    { ...ANY, ...NO_TIME, id: 1, languages: ['de', 'fr'], variants: [to(2)] },
    { ...ANY, ...NO_TIME, id: 3, systems: ['android'], variants: [to(4)] },
    { ...ANY, ...NO_TIME, id: 5, countries: ['AT', 'CH', 'DE'], variants: [to(6)] },
    {
      ...ANY,
      id: 7,
      startsOn: '2020-01-01',
      endsOn: '2020-12-31',
      timeZone: 'Asia/Tokyo',
      variants: [to(8)],
    },
    { ...ANY, ...NO_TIME, id: 9, variants: [to(10, 50), to(11, 50)] },
  ],
  schedule: null,
  pause: null,
  end: null,
  next: 12,
};
