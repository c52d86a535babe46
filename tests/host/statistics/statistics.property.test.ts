import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatistics } from '#contract/statistics';
import { foldOldDays } from '#host/visits/count/fold';
import type { Visit } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { breakable, type Trouble } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { runs } from '../../support/seed';
import { countNaively, readAnswered } from './naive-statistics';
import { arbitraryVisit, emptyFigures, visitOf } from './visit-stream';

// Clocks change this week in Paris, did earlier in New York, and change the other way in Auckland. Beirut skips
// midnight, and Santiago has it twice.
const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Asia/Beirut',
  'America/Santiago',
];
const START = Date.parse('2026-03-27T00:00:00.000Z');
const END = Date.parse('2026-04-06T12:00:00.000Z');

const period = fc.record({
  from: fc.constantFrom('2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30'),
  to: fc.constantFrom('2026-03-30', '2026-04-01', '2026-04-04', '2026-04-05'),
  timeZone: fc.constantFrom(...ZONES),
});
const troubles: fc.Arbitrary<Trouble> = fc.constantFrom('none', 'none', 'none', 'none', 'lost');

let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;
let codes: { id: string; type: string }[];

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  host.clock.set(new Date(START));
  owner = await host.account();
  codes = [];
  for (const type of ['link', 'link', 'text', 'email'] as const) {
    codes.push(
      await host.code(owner.id, { type, content: type === 'email' ? 'a@b.example' : 'https://a.example/' }),
    );
  }
  const other = await host.account();
  codes.push({ ...(await host.code(other.id)), type: 'foreign' });
  host.clock.set(new Date(END));
});
afterAll(() => host.close());

async function ask(body: object) {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, owner);
  return getStatistics.response.parse(answered.body).data;
}

test('every figure equals the naive count, in any time zone, with lost, repeated, late and folded visits', async () => {
  const ids = codes.map(({ id }) => id);
  const bursts = fc.array(
    fc.record({
      visits: fc.array(arbitraryVisit(ids, START, END), { maxLength: 25 }),
      trouble: troubles,
      folds: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const one = fc.constantFrom(null, ...ids.slice(0, 4));
  // Around the hour that the clocks of Paris skip, and at both ends of the period, in a burst that is lost and folded.
  const [first = ''] = ids;
  const times = [
    '27T22:59:59.999',
    '27T23:00:00.000',
    '29T00:59:59.999',
    '29T01:00:00.000',
    '30T21:59:59.999',
  ];
  const kinds = [{}, { class: 'bot' }, { source: 'click' }, { outcome: 'private' }] as const;
  const visits = [...times, '30T22:00:00.000'].flatMap((time) =>
    kinds.map((kind) => visitOf(first, `2026-03-${time}Z`, kind)),
  );
  const inParis = { from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Paris' };
  const examples = [null, first].map(
    (code): [{ visits: Visit[]; trouble: Trouble; folds: boolean }[], typeof inParis, string | null] => [
      [{ visits, trouble: 'lost', folds: true }],
      inParis,
      code,
    ],
  );
  await fc.assert(
    fc.asyncProperty(bursts, period, one, async (stream, requested, code) => {
      await emptyFigures(host.db);
      // By this clock no visitor has been dropped yet.
      const recorder = new VisitRecorder({ ...host.deps, clock: { now: () => new Date(START) } });
      for (const { visits, trouble, folds } of stream) {
        broken.set(trouble, 'visits_');
        await Promise.all(visits.map((visit) => recorder.record(visit)));
        broken.set('none');
        await recorder.idle();
        if (folds) await foldOldDays(host.db, new Date(END));
      }
      await recorder.close();
      const all = stream.flatMap(({ visits }) => visits);
      const own = codes.filter(({ type }) => type !== 'foreign');
      const { measured, byCode, ...expected } = countNaively(all, own, { ...requested, code });
      const statistics = await ask({ ...requested, code });
      expect(readAnswered(statistics)).toEqual(expected);
      expect(statistics.figures.conversion_rate.value).toBe(measured > 0 ? 0 : null);
      const best = Math.max(0, ...Object.values(byCode));
      expect(statistics.mostActive.codes[0]?.visits ?? 0).toBe(code === null ? best : 0);
      expect(Object.fromEntries(statistics.mostActive.codes.map(({ id, visits }) => [id, visits]))).toEqual(
        code === null ? byCode : {},
      );
    }),
    { ...runs(15), examples },
  );
}, 90_000);
