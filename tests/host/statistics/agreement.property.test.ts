import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCodeVisits } from '#contract/code-visits';
import { listCodes } from '#contract/codes';
import { getOverview } from '#contract/dashboard';
import { getStatistics, type Statistics } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { foldOldDays } from '#host/visits/count/fold';
import type { Visit } from '#host/visits/receive/classify';
import { breakable, type Trouble } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { runs } from '../../support/seed';
import { countNaively, readAnswered } from './naive-statistics';
import { readCsv } from './read-csv';
import {
  type Act,
  type ActedCode,
  act,
  arbitraryAct,
  DESKTOP,
  engage,
  engagedIn,
  PHONE,
  PREVIEW,
  ROBOT,
  visitOfAct,
} from './visit-acts';

// Clocks go forward in Paris and back in Auckland within these days.
const START = Date.parse('2026-03-27T00:00:00.000Z');
const END = Date.parse('2026-04-06T12:00:00.000Z');
const TODAY = '2026-04-06';
const MADE = [
  { type: 'link', visibility: 'public' },
  { type: 'text', visibility: 'public', content: 'hello' },
  { type: 'link', visibility: 'private' },
  { type: 'email', visibility: 'public', content: 'you@example.com' },
] as const;
/** Index of the code that may be deleted. */
const DOOMED = 3;

const bursts = fc.array(
  fc.record({
    acts: fc.array(arbitraryAct(MADE.length, END - START), { maxLength: 15 }),
    trouble: fc.constantFrom<Trouble>('none', 'none', 'lost'),
    folds: fc.boolean(),
    deletes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Limits a burst to two days, since visits written more than a day late count no visitors. */
function onTwoDays(acts: Act[]): Act[] {
  const [first = { at: 0 }] = acts;
  const day = first.at - (first.at % DAY_MS);
  return acts.map((one) => ({ ...one, at: Math.min(day + (one.at % (2 * DAY_MS)), END - START) }));
}

/** A person, a robot, a preview and the owner, on both sides of the hour that the clocks of Paris skip. */
const EXAMPLE = [0, 1].map((later) => ({
  acts: ([PHONE, ROBOT, PREVIEW, DESKTOP] as const).flatMap((agent, n) =>
    [1, 3].map((code) => ({
      code,
      at: 2 * DAY_MS + 3_600_000 - 1 + later,
      source: n % 2 === 0 ? ('scan' as const) : ('click' as const),
      method: 'GET' as const,
      purpose: null,
      agent,
      language: 'fr' as const,
      clientIp: '192.0.2.1',
      isOwner: agent === DESKTOP,
      follows: true,
    })),
  ),
  trouble: later === 0 ? ('lost' as const) : ('none' as const),
  folds: later === 1,
  deletes: later === 1,
}));
const period = fc.record({
  from: fc.constantFrom('2026-03-27', '2026-03-29', '2026-03-30'),
  to: fc.constantFrom('2026-03-30', '2026-04-04', '2026-04-06'),
  timeZone: fc.constantFrom('UTC', 'Europe/Paris', 'America/New_York', 'Pacific/Auckland'),
});

let host: TestHost;
let broken: ReturnType<typeof breakable>;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
});
afterAll(() => host.close());

async function makeCodes(owner: TestAccount): Promise<ActedCode[]> {
  const codes = [];
  for (const fields of MADE) codes.push({ ...(await host.code(owner.id, fields)), isDeleted: false });
  return codes;
}

async function remove(code: ActedCode, owner: TestAccount): Promise<void> {
  await send(host, 'DELETE', `/api/qrcodes/${code.id}`, undefined, owner);
  code.isDeleted = true;
  // Nodes are notified a moment later; HEAD counts nothing.
  const headers = { accept: 'application/json' };
  const look = async () => (await host.app.request(`/l/${code.slug}`, { method: 'HEAD', headers })).status;
  await expect.poll(look).toBe(404);
}

async function read<Schema extends { parse(body: unknown): unknown }>(
  schema: Schema,
  path: string,
  owner: TestAccount,
) {
  const { body } = await send(host, 'GET', path, undefined, owner);
  return schema.parse(body) as ReturnType<Schema['parse']>;
}

async function download(path: string, { token }: TestAccount) {
  const answered = await host.request(path, { token });
  return readCsv(Buffer.from(await answered.arrayBuffer()).toString()).rows;
}

test('list, overview, statistics, code pages and exports all equal the naive count', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, period, async (stream, requested) => {
      host.clock.set(new Date(START));
      const owner = await host.account();
      const codes = await makeCodes(owner);
      const done: { act: Act; visits: Visit[]; code: ActedCode }[] = [];
      for (const { trouble, folds, deletes, ...burst } of stream) {
        const acts = onTwoDays(burst.acts);
        broken.set(trouble, 'visits_');
        for (const one of acts) {
          const code = codes[one.code] as ActedCode;
          host.clock.set(new Date(START + one.at));
          await act(host, code, owner, one);
          done.push({ act: one, visits: visitOfAct(code, one, START), code });
        }
        broken.set('none');
        await host.recorder.idle();
        for (const one of acts) {
          host.clock.set(new Date(START + one.at));
          await engage(host, codes[one.code] as ActedCode, owner, one);
        }
        const doomed = codes[DOOMED];
        if (deletes && doomed && !doomed.isDeleted) await remove(doomed, owner);
        if (folds) await foldOldDays(host.db, new Date(END));
      }
      host.clock.set(new Date(END));
      const all = done.flatMap(({ visits }) => visits);
      const kept = codes.filter(({ isDeleted }) => !isDeleted);
      const plain = kept.map((code) => countCode(all, code)).reverse();
      const utc = { timeZone: 'UTC', code: null };
      const month = countNaively(all, codes, { from: '2026-03-08', to: TODAY, ...utc });

      const list = await read(listCodes.response, '/api/qrcodes?limit=100', owner);
      expect(list.data.map(({ id, visits }) => ({ id, total: visits.total, lastAt: visits.lastAt }))).toEqual(
        plain.map(({ id, total, lastAt }) => ({ id, total, lastAt })),
      );
      const overview = await read(getOverview.response, '/api/dashboard/overview', owner);
      expect(figureValues(overview.data.stats.figures)).toEqual({
        total_codes: kept.length,
        active_codes: plain.filter(({ total }) => total > 0).length,
        scans: month.scans,
        clicks: month.clicks,
        unique_visitors: month.visitors,
      });
      expect(await readCodeRows(owner)).toEqual(plain.map(({ firstDay: _, visits: __, ...row }) => row));
      for (const { id, lastAt, firstDay, visits, ...counts } of plain) {
        const page = (await read(getCodeVisits.response, `/api/qrcodes/${id}/visits`, owner)).data;
        expect(page).toMatchObject({ ...counts, lastAt, firstDay });
        expect(page.visits.map(({ at }) => at)).toEqual(visits);
      }
      for (const code of [null, ...kept.map(({ id }) => id)]) {
        const { measured, byCode: _byCode, ...expected } = countNaively(all, codes, { ...requested, code });
        const answered = await send(host, 'POST', '/api/qrcodes/stats', { ...requested, code }, owner);
        const statistics = getStatistics.response.parse(answered.body).data;
        expect(readAnswered(statistics)).toEqual(expected);
        const engaged = engagedIn(done, { ...requested, code });
        const [persons, engagements] = measured > 0 ? [engaged.persons, engaged.engagements] : [null, null];
        expect(statistics.figures.distinct_engagements.value).toBe(persons);
        expect(statistics.figures.engagements.value).toBe(engagements);
        const days = await readDays(owner, { ...requested, code });
        expect(days).toEqual({ ...pick(expected), engaged: persons, engagements });
      }
    }),
    {
      ...runs(8),
      examples: [[EXAMPLE, { from: '2026-03-29', to: '2026-03-30', timeZone: 'Europe/Paris' }]],
    },
  );
}, 120_000);

function figureValues(figures: Statistics['figures']) {
  const names = ['total_codes', 'active_codes', 'scans', 'clicks', 'unique_visitors'] as const;
  return Object.fromEntries(names.map((name) => [name, figures[name].value]));
}

async function readCodeRows(owner: TestAccount) {
  return (await download('/api/qrcodes/codes.csv', owner)).map((row) => ({
    id: row.id,
    total: Number(row.visits),
    scans: Number(row.scans),
    clicks: Number(row.clicks),
    others: Number(row.others),
    lastAt: row.last_visit_at || null,
  }));
}

async function readDays(owner: TestAccount, { code, ...requested }: Parameters<typeof countNaively>[2]) {
  const query = new URLSearchParams({ ...requested, ...(code && { code }) });
  const rows = await download(`/api/qrcodes/stats/daily.csv?${query}`, owner);
  const total = (column: string) => sum(rows.map((row) => Number(row[column])));
  const isMeasured = rows.every(({ engagements }) => engagements !== '');
  return {
    engaged: isMeasured ? total('distinct_engagements') : null,
    engagements: isMeasured ? total('engagements') : null,
    scans: total('scans'),
    clicks: total('clicks'),
    bots: total('bots'),
    previews: total('previews'),
    owner: total('owner'),
    visitors: total('unique_visitors'),
    byDay: Object.fromEntries(
      rows.filter(({ visits }) => visits !== '0').map(({ day, visits }) => [day, Number(visits)]),
    ),
  };
}

/** A naive count of everything about one code. */
function countCode(all: Visit[], { id }: ActedCode) {
  const own = all.filter(({ codeId }) => codeId === id).sort((a, b) => b.at - a.at);
  const people = own.filter((visit) => visit.class === 'human');
  const moment = (visit: Visit | undefined) => (visit ? new Date(visit.at).toISOString() : null);
  return {
    id,
    total: people.length,
    scans: people.filter(({ source }) => source === 'scan').length,
    clicks: people.filter(({ source }) => source === 'click').length,
    others: own.length - people.length,
    lastAt: moment(people[0]),
    firstDay: moment(people.at(-1))?.slice(0, 10) ?? null,
    visits: own.slice(0, 20).map(moment),
  };
}

function pick({
  scans,
  clicks,
  bots,
  previews,
  owner,
  visitors,
  byDay,
}: ReturnType<typeof countNaively> | Omit<ReturnType<typeof countNaively>, 'measured' | 'byCode'>) {
  return { scans, clicks, bots, previews, owner, visitors, byDay };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
