import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { breakable, type Trouble } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { runs } from '../../support/seed';
import { emptyVisits, readCounts } from './stored-visits';

const CODES = [0, 1, 2, 3];
const AGENTS = ['iPhone', 'Android 14', 'Windows NT 10.0'].map((name) =>
  readAgent(`Mozilla/5.0 (${name}) AppleWebKit/605.1.15 Safari/604.1`),
);
const START = Date.parse('2026-03-02T21:00:00.000Z');

const visits: fc.Arbitrary<Omit<Visit, 'codeId'> & { code: number | null }> = fc.record({
  code: fc.constantFrom(null, ...CODES),
  at: fc.integer({ min: 0, max: 6 * HOUR_MS }).map((ms) => START + ms),
  source: fc.constantFrom('scan', 'click'),
  class: fc.constantFrom('human', 'human', 'bot', 'preview', 'owner'),
  outcome: fc.constantFrom('served', 'served', 'private', 'deleted'),
  agent: fc.constantFrom(...AGENTS),
  language: fc.constantFrom('', 'en', 'fr'),
  country: fc.constant(''),
  clientIp: fc.constantFrom('192.0.2.1', '192.0.2.2'),
});
const troubles: fc.Arbitrary<Trouble> = fc.constantFrom('none', 'none', 'down', 'lost');
const burst = fc.record({
  burst: fc.array(visits, { maxLength: 30 }),
  trouble: troubles,
  at: fc.constantFrom('visits_', 'visits_insert', 'visits_read', 'visits_count'),
});
/** Both sides of midnight, by two visitors, to a code and to none, while writing, reading and counting fail. */
const EXAMPLE = (['visits_insert', 'visits_read', 'visits_count'] as const).map((at, position) => ({
  burst: [2 * HOUR_MS, 3 * HOUR_MS - 1, 3 * HOUR_MS, 5 * HOUR_MS].flatMap((ms, n) =>
    ([0, null] as const).map((code) => ({
      code,
      at: START + ms,
      source: n % 2 === 0 ? ('scan' as const) : ('click' as const),
      class: n === 3 ? ('bot' as const) : ('human' as const),
      outcome: 'served' as const,
      agent: AGENTS[position] ?? readAgent(''),
      language: 'fr',
      country: '',
      clientIp: `192.0.2.${n % 2}`,
    })),
  ),
  trouble: position === 1 ? ('lost' as const) : ('down' as const),
  at,
}));
const streams = fc.array(burst, { minLength: 1, maxLength: 5 });

/** A naive count. */
function countNaively(all: Visit[]) {
  const tally = <Row extends object>(rows: Row[]) => {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);
    return [...counts].map(([row, count]) => ({ ...(JSON.parse(row) as Row), count }));
  };
  const coded = all.filter((visit) => visit.codeId !== null);
  const counted = ({ codeId, source, class: kind }: Visit) => ({ code_id: codeId, source, class: kind });
  const people = coded.filter((visit) => visit.class === 'human');
  const shown = people.filter((visit) => visit.outcome === 'served');
  const persons = shown.map(({ codeId, at, clientIp, agent }) =>
    JSON.stringify([codeId, new Date(at).toISOString().slice(0, 10), clientIp, agent.text]),
  );
  return {
    raw: tally(all.map(counted)),
    hours: tally(coded.map(counted)),
    totals: [...new Set(coded.map(({ codeId }) => codeId))].map((id) => {
      const own = people.filter(({ codeId }) => codeId === id);
      const newest = Math.max(...own.map(({ at }) => at));
      return {
        code_id: id,
        scans: own.filter(({ source }) => source === 'scan').length,
        clicks: own.filter(({ source }) => source === 'click').length,
        others: coded.filter(({ codeId }) => codeId === id).length - own.length,
        last_at: own.length > 0 ? new Date(newest) : null,
      };
    }),
    visitors: tally(
      [...new Set(persons)].map((person) => {
        const [code_id, day] = JSON.parse(person) as string[];
        return { code_id, day };
      }),
    ),
  };
}

const inAnyOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();

let host: TestHost;
let broken: ReturnType<typeof breakable>;
let codes: string[];

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  const owner = await host.account();
  codes = await Promise.all(CODES.map(async () => (await host.code(owner.id)).id));
});

afterAll(() => host.close());

test('for any visits and any failures every counter equals a naive count', async () => {
  await fc.assert(
    fc.asyncProperty(streams, async (stream) => {
      await emptyVisits(host.db);
      const recorder = new VisitRecorder(host.deps);
      const all: Visit[] = [];
      for (const { burst, trouble, at } of stream) {
        broken.set(trouble, at);
        const visits = burst.map(({ code, ...visit }) => ({ ...visit, codeId: codes[code ?? -1] ?? null }));
        all.push(...visits);
        await Promise.all(visits.map((visit) => recorder.record(visit)));
      }
      broken.set('none');
      await recorder.close();
      const expected = countNaively(all);
      const counts = await readCounts(host.db);
      for (const part of ['raw', 'hours', 'totals', 'visitors'] as const) {
        const columns = (row: object) => Object.fromEntries(Object.entries(row).sort());
        expect(inAnyOrder(counts[part].map(columns))).toEqual(inAnyOrder(expected[part].map(columns)));
      }
    }),
    { ...runs(12), examples: [[EXAMPLE]] },
  );
});
