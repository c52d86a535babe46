import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { visitOf } from '../../host/statistics/visit-stream';
import type { TestAccount } from '../../support/host';
import { userScopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let account: TestAccount;

beforeAll(async () => {
  website = await createTestWebsite({});
  website.host.clock.set(new Date('2026-03-29T00:30:00.000Z'));
  account = await website.host.account();
});
afterAll(async () => website.close());

const scopeFor = (as: { token: string }, language = 'en-GB') =>
  userScopeOf(as, new Request('http://localhost/user/qrcodes', { headers: { 'accept-language': language } }));

async function read(id: string, as = account, language?: string) {
  const { findCodeStatistics } = await import('~/statistics/code-statistics.server');
  return findCodeStatistics(await scopeFor(as, language), id);
}

async function record(...visits: ReturnType<typeof visitOf>[]): Promise<void> {
  for (const visit of visits) await website.host.recorder.record(visit);
  await website.host.recorder.idle();
}

test('a visit that got a message instead of the content says why', async () => {
  const { id } = await website.host.code(account.id);
  website.host.clock.set(new Date('2026-03-05T12:00:00.000Z'));
  const outcomes = ['served', 'paused', 'ended'] as const;
  for (const [minute, outcome] of outcomes.entries())
    await record(visitOf(id, `2026-03-05T11:0${minute}:00.000Z`, { outcome }));
  const shown = await read(id);
  if (!shown || shown.isLocked) throw new Error('a subscriber sees the visits');
  expect(shown.visits.map(({ how }) => how)).toEqual([
    'Scanned (got the message, as the code had ended)',
    'Scanned (got the message, as the code was paused)',
    'Scanned',
  ]);
});

test('the last visits are worded with the clock of the zone, on both sides of a change', async () => {
  const { id } = await website.host.code(account.id, { visibility: 'private' });
  const at = (time: string, fields = {}) => visitOf(id, `2026-03-${time}Z`, fields);
  // British clocks went from 1:00 to 2:00.
  website.host.clock.set(new Date('2026-03-29T01:30:00.000Z'));
  await record(
    at('29T00:59:00.000', { outcome: 'private', language: 'fil' }),
    at('29T01:00:00.000', { source: 'click', class: 'bot', language: '' }),
    at('29T01:00:00.000', { source: 'click', class: 'preview', language: 'he' }),
  );
  const shown = await read(id);
  if (!shown || shown.isLocked) throw new Error('a subscriber sees the visits');
  expect(
    shown.visits.map(({ time, who, how, device, language }) => [time, who, how, device, language]),
  ).toEqual([
    [
      '29 Mar 2026, 02:00',
      expect.stringMatching(/^A (?:bot|link preview)$/),
      'Link opened',
      'Phone · iOS',
      expect.any(String),
    ],
    [
      '29 Mar 2026, 02:00',
      expect.stringMatching(/^A (?:bot|link preview)$/),
      'Link opened',
      'Phone · iOS',
      expect.any(String),
    ],
    [
      '29 Mar 2026, 00:59',
      'A person',
      'Scanned (refused, as the code was private)',
      'Phone · iOS',
      'Filipino',
    ],
  ]);
  expect(
    shown.visits
      .slice(0, 2)
      .map(({ language }) => language)
      .sort(),
  ).toEqual(['Hebrew', 'Unknown']);
  // Visits of the same millisecond are told apart, and stay the same when others come before them.
  const ids = shown.visits.map((visit) => visit.id);
  expect(new Set(ids).size).toBe(3);
  await record(at('29T01:10:00.000'));
  const later = await read(id);
  expect(later && !later.isLocked && later.visits.slice(1).map((visit) => visit.id)).toEqual(ids);
});

test('the state of a code is worded in the reader’s language, and figures that were not measured are left out', async () => {
  const { id } = await website.host.code(account.id);
  expect(await read(id)).toMatchObject({
    isLocked: false,
    health: 'new',
    healthText: 'New: nobody has visited this code yet.',
    note: null,
    visits: [],
  });
  await record(visitOf(id, '2026-03-29T00:00:00Z'));
  const active = await read(id, account, 'de');
  if (!active || active.isLocked) throw new Error('a subscriber sees the figures');
  expect(active.healthText).toContain('29. März 2026');
  expect(active.figures.map(({ definition, value }) => [definition, value])).toEqual([
    ['visits', '1'],
    ['scans', '1'],
    ['clicks', '0'],
    ['unique_visitors', '1'],
  ]);
});

test('there are no figures of a Wi-Fi code, of a stranger’s or an unknown one, nor without a subscription', async () => {
  const wifi = await website.host.code(account.id, { type: 'wifi', content: 'WIFI:T:nopass;S:a;;' });
  const foreign = await website.host.code((await website.host.account()).id);
  for (const id of [wifi.id, foreign.id, '00000000-0000-4000-8000-000000000000'])
    expect(await read(id)).toBeNull();
  const lapsed = await website.host.account({ access: false });
  const own = await website.host.code(lapsed.id);
  expect(await read(own.id, lapsed)).toEqual({ isLocked: true });
});

test('visits are split into scans and clicks for subscribers, and others see how many there are', async () => {
  const { countVisits } = await import('~/statistics/code-statistics.server');
  const lapsed = await website.host.account({ access: false });
  for (const [owner, parts] of [
    [account, { scans: '2', clicks: '1' }],
    [lapsed, null],
  ] as const) {
    const { id } = await website.host.code(owner.id, { createdAt: new Date(Date.now() - 300 * DAY_MS) });
    const count = async (total: number) =>
      countVisits(await scopeFor(owner), { id, visits: { total, lastAt: null } });
    expect(await count(0)).toEqual({ isNone: true, total: '0', parts: parts && { scans: '0', clicks: '0' } });
    const at = '2026-03-29T00:00:00Z';
    await record(
      visitOf(id, at),
      visitOf(id, at),
      visitOf(id, at, { source: 'click' }),
      visitOf(id, at, { class: 'bot' }),
    );
    expect(await count(3)).toEqual({ isNone: false, total: '3', parts });
  }
});
