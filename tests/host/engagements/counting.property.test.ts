import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { countEngagement, type EngagementRow } from '#host/engagements/store';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { foldOldDays } from '#host/visits/count/fold';
import { VisitorSalts } from '#host/visits/count/visitor-salts';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { breakable, type Trouble } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { runs } from '../../support/seed';
import { emptyFigures, visitOf } from '../statistics/visit-stream';
import { readEngagements } from './engaged-codes';

const FIRST_DAY = Date.parse('2026-03-02T00:00:00Z');
const TYPES = ['link', 'link', 'text', 'email'] as const;
const KINDS = { link: ['report'], text: ['copy', 'open'], email: ['copy', 'write'] } as const;
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

const person = { code: fc.nat(TYPES.length - 1), clientIp: fc.constantFrom(...ADDRESSES) };
const bursts = fc.array(
  fc.record({
    /** Days since the previous burst. */
    later: fc.constantFrom(0, 0, 0, 1),
    visits: fc.array(fc.record({ ...person, late: fc.constantFrom(0, 0, 0, 1) }), { maxLength: 8 }),
    acts: fc.array(fc.record({ ...person, kind: fc.nat(1) }), { maxLength: 12 }),
    trouble: fc.constantFrom<Trouble>('none', 'none', 'lost'),
  }),
  { minLength: 1, maxLength: 5 },
);
type Burst = (typeof bursts extends fc.Arbitrary<infer Value> ? Value : never)[number];

/** A naive count, of one code, or of all if `only` is null. */
function countNaively(stream: Burst[], only: number | null) {
  const came = new Set<string>();
  const acted = new Set<string>();
  const since = new Map<number, number>();
  let day = 0;
  for (const { later, visits, acts } of stream) {
    day += later;
    for (const { code, clientIp, late } of visits) came.add(`${code} ${day - late} ${clientIp}`);
    for (const { code, clientIp, kind } of acts) {
      if (!came.has(`${code} ${day} ${clientIp}`)) continue;
      acted.add(`${code} ${day} ${clientIp} ${kindOf(code, kind)}`);
      if (TYPES[code] === 'link' && !since.has(code)) since.set(code, day);
    }
  }
  const own = (keys: Set<string>) =>
    [...keys].map((key) => key.split(' ')).filter(([code]) => only === null || Number(code) === only);
  const persons = (keys: string[][]) => new Set(keys.map(([, on, clientIp]) => `${on} ${clientIp}`)).size;
  const measured = own(came).filter(
    ([code, on]) => TYPES[Number(code)] !== 'link' || Number(on) >= (since.get(Number(code)) ?? 99),
  );
  return {
    visitors: persons(own(came)),
    engagements: measured.length > 0 ? own(acted).length : null,
    engaged: measured.length > 0 ? persons(own(acted)) : null,
    rate: measured.length > 0 ? persons(own(acted)) / persons(measured) : null,
  };
}

function kindOf(code: number, kind: number): EngagementRow['kind'] {
  const kinds = KINDS[TYPES[code] ?? 'link'];
  return kinds[kind % kinds.length] ?? 'report';
}

let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;
const codes: { id: string }[] = [];

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  owner = await host.account();
  codes.length = 0;
  for (const type of TYPES) codes.push(await host.code(owner.id, { type, content: 'https://a.example/' }));
});
afterAll(() => host.close());

const idOf = (code: number) => codes[code]?.id ?? '';
const dateOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);

async function act({ code, clientIp, kind }: Burst['acts'][number], day: number): Promise<void> {
  const hashVisitor = await new VisitorSalts(host.deps).load([dateOf(day)]);
  const visitor = hashVisitor(dateOf(day), clientIp, visitOf('', dateOf(day)).agent.text) ?? '';
  await countEngagement(host.db, {
    codeId: idOf(code),
    day: dateOf(day),
    visitor,
    kind: kindOf(code, kind),
  });
}

test('two visitors, one of whom comes back a day later, engage as in this example', async () => {
  await emptyFigures(host.db);
  for (const [day, visits, acts] of [
    [
      0,
      [
        [0, '1'],
        [0, '2'],
        [2, '1'],
      ],
      [
        [0, '1', 0],
        [0, '1', 0],
        [2, '1', 0],
        [2, '1', 1],
        [1, '1', 0],
      ],
    ],
    [1, [[0, '1']], [[0, '2', 0]]],
  ] as const) {
    host.clock.set(new Date(FIRST_DAY + day * DAY_MS));
    const recorder = new VisitRecorder(host.deps);
    const addressOf = (last: string) => `192.0.2.${last}`;
    for (const [code, last] of visits) {
      const clientIp = addressOf(last);
      await recorder.record(visitOf(idOf(code), `${dateOf(day)}T12:00:00Z`, { clientIp }));
    }
    await recorder.close();
    for (const [code, last, kind] of acts) await act({ code, clientIp: addressOf(last), kind }, day);
  }
  // A report is the only act of a link; the code without a visit, and the visitor without one that day, count nothing.
  const read = (code: number | null) => readEngagements(host, owner, code === null ? null : idOf(code));
  expect(await read(0)).toEqual({ visitors: 3, engagements: 1, engaged: 1, rate: 1 / 3 });
  expect(await read(1)).toEqual({ visitors: 0, engagements: null, engaged: null, rate: null });
  expect(await read(2)).toEqual({ visitors: 1, engagements: 2, engaged: 1, rate: 1 });
  expect(await read(null)).toEqual({ visitors: 3, engagements: 3, engaged: 1, rate: 1 / 3 });
});

test('for any order of visits and acts, and any repeated report, the figures equal a naive count', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, async (stream) => {
      await emptyFigures(host.db);
      let day = 0;
      for (const { later, visits, acts, trouble } of stream) {
        day += later;
        const now = new Date(FIRST_DAY + day * DAY_MS);
        host.clock.set(now);
        const recorder = new VisitRecorder(host.deps);
        for (const { code, clientIp, late } of visits) {
          void recorder.record(visitOf(idOf(code), `${dateOf(day - late)}T12:00:00Z`, { clientIp }));
        }
        await recorder.close();
        broken.set(trouble, 'engagement_count');
        await Promise.allSettled(acts.map((each) => act(each, day)));
        broken.set('none');
        await Promise.all(acts.map((each) => act(each, day)));
        await foldOldDays(host.db, now);
        await dropOldPersons(host.db.orm, now);
      }
      host.clock.set(new Date(FIRST_DAY + 5 * DAY_MS));
      for (const only of [null, 0, 1, 2, 3]) {
        const figures = await readEngagements(host, owner, only === null ? null : idOf(only));
        expect(figures).toEqual(countNaively(stream, only));
        expect(figures.rate ?? 0).toBeLessThanOrEqual(1);
      }
    }),
    runs(12),
  );
}, 120_000);
