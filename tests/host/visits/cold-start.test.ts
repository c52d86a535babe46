import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { createApp } from '#host/app';
import type { Database } from '#host/db/client';
import { startDatabase } from '#host/db/starting';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { CodeCache } from '#host/visits/resolve/resolve';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { readCode } from './stored-visits';

const PHONE = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' } };
let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  owner = await host.account();
});
beforeEach(() => broken.set('none'));
afterAll(() => host.close());

const readSnapshot = () => readFileSync(join(host.deps.visits.folder, 'codes.log'), 'utf8');
const linesOf = (slug: string) =>
  readSnapshot()
    .split('\n')
    .filter((line) => line.includes(slug));

/** Fills the cache of a node and waits until its snapshot contains this slug. */
async function fillCache(slug: string) {
  const codes = new CodeCache(host.deps);
  await codes.fill();
  await expect.poll(() => linesOf(slug), { timeout: 10_000 }).not.toEqual([]);
  // A snapshot without a confirmation is not used.
  await expect.poll(readSnapshot, { timeout: 10_000 }).toContain(' @');
  return codes;
}

/** The code cache after a restart while the database is down. */
async function startWithoutDatabase() {
  broken.set('down');
  const codes = new CodeCache(host.deps);
  return { find: async (slug: string) => codes.find(slug) };
}

test('a host that starts before its database serves scans at once, and counts them later', async () => {
  const code = await host.code(owner.id);
  await fillCache(code.slug);
  let isUp = false;
  const open = async (): Promise<Database> => {
    if (!isUp) throw new Error('connect ECONNREFUSED');
    return { ...host.db, close: async () => undefined };
  };
  const { db, ready, isReady } = startDatabase(open, { onError: () => undefined });
  const deps = { ...host.deps, db };
  const recorder = new VisitRecorder(deps);
  const app = createApp(deps, recorder);

  const scan = await app.request(`/r/${code.slug}`, PHONE);
  expect([scan.status, scan.headers.get('location')]).toEqual([302, code.content]);
  const call = await app.request('/api/qrcodes', { headers: { authorization: `Bearer ${owner.token}` } });
  expect([call.status, call.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await app.request('/readyz')).status).toBe(503);
  expect(isReady()).toBe(false);

  isUp = true;
  await ready;
  await recorder.idle();
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  const list = await app.request('/api/qrcodes', { headers: { authorization: `Bearer ${owner.token}` } });
  expect([list.status, (await app.request('/readyz')).status]).toEqual([200, 200]);
  await recorder.close();
});

test('the snapshot contains public codes only: no private, deleted, blocked or Wi-Fi codes', async () => {
  const hidden = [
    await host.code(owner.id, { visibility: 'private' }),
    await host.code(owner.id, { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:secret;;' }),
    await host.code(owner.id, { deletedAt: host.clock.now() }),
    await host.code(owner.id, { blockedAt: host.clock.now() }),
  ];
  const mail = await host.code(owner.id, {
    type: 'email',
    content: 'a@b.example',
    subject: 'Grüße 🎈',
    body: 'x\ny',
  });
  await fillCache(mail.slug);
  for (const { slug } of hidden) expect(linesOf(slug)).toEqual([]);
  const { find } = await startWithoutDatabase();
  expect(await find(mail.slug)).toEqual({
    id: mail.id,
    accountId: owner.id,
    type: 'email',
    content: 'a@b.example',
    subject: 'Grüße 🎈',
    body: 'x\ny',
    isPrivate: false,
    isDeleted: false,
    isBlocked: false,
    isCounted: true,
    blockedLinks: [],
    routing: null,
  });
  await expect(find(hidden[0]?.slug ?? '')).rejects.toMatchObject({ code: 'unavailable' });
});

test('rules, schedules and ends go on answering, also after a restart', async () => {
  const rule = { id: 1, languages: ['de'], systems: [], countries: [], weekdays: [], from: null, to: null };
  const variants = [{ route: 2, target: 'https://müller.example/', percent: 100 }];
  const rules = [{ ...rule, startsOn: null, endsOn: null, timeZone: null, variants }];
  const schedule = { at: '2026-03-02T12:00:00.000Z', target: 'https://next.example/' };
  const end = { visits: null, message: 'over', target: null, route: 0, reachedAt: null, noticedAt: null };
  const ends = { ...end, at: '2026-03-03T00:00:00.000Z', setAt: '2026-03-02T00:00:00.000Z' };
  const routing = { rules, schedule, pause: null, end: ends, next: 3 };
  const code = await host.code(owner.id, { routing });
  await fillCache(code.slug);
  broken.set('down');
  const recorder = new VisitRecorder(host.deps);
  const app = createApp(host.deps, recorder, undefined, new CodeCache(host.deps));
  const answer = async (at: string, language: string) => {
    host.clock.set(new Date(at));
    const headers = { ...PHONE.headers, 'accept-language': language };
    return (await app.request(`/r/${code.slug}`, { headers })).headers.get('location');
  };
  expect(await answer('2026-03-02T11:00Z', 'de')).toBe('https://xn--mller-kva.example/');
  expect(await answer('2026-03-02T11:00Z', 'fr')).toBe('https://destination.example/');
  expect(await answer('2026-03-02T13:00Z', 'fr')).toBe('https://next.example/');
  expect(await answer('2026-03-03T00:00Z', 'de')).toContain(`/r/${code.slug}?counted=`);
  host.clock.set(START);
  broken.set('none');
  await recorder.idle();
  await recorder.close();
});

test('a code that is deleted or made private leaves the snapshot within seconds', async () => {
  const [deleted, hidden] = [await host.code(owner.id), await host.code(owner.id)];
  const codes = await fillCache(hidden.slug);
  await host.request(`/api/qrcodes/${deleted.id}`, { method: 'DELETE', token: owner.token });
  await host.request(`/api/qrcodes/${hidden.id}`, {
    method: 'PATCH',
    token: owner.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ visibility: 'private' }),
  });
  for (const { slug } of [deleted, hidden]) {
    await expect.poll(() => linesOf(slug).at(-1), { timeout: 10_000 }).toMatch(new RegExp(` ${slug}$`));
  }
  expect(await codes.find(hidden.slug)).toMatchObject({ isPrivate: true });
  const { find } = await startWithoutDatabase();
  for (const { slug } of [deleted, hidden]) {
    await expect(find(slug)).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('a slug that has no code takes no line of the snapshot', async () => {
  const code = await host.code(owner.id);
  const codes = new CodeCache(host.deps);
  expect(await codes.find('N0C0DE00')).toBeNull();
  await codes.find(code.slug);
  await expect.poll(() => linesOf(code.slug), { timeout: 10_000 }).not.toEqual([]);
  expect(linesOf('N0C0DE00')).toEqual([]);
});

test('a code deleted while no host was listening is evicted by the next fill', async () => {
  const code = await host.code(owner.id);
  await fillCache(code.slug);
  await host.db.query({
    name: '',
    text: 'update codes set deleted_at = now() where id = $1',
    values: [code.id],
  });
  await new CodeCache(host.deps).fill();
  await expect
    .poll(() => linesOf(code.slug).at(-1), { timeout: 10_000 })
    .toMatch(new RegExp(` ${code.slug}$`));
});

test('a snapshot that does not fit on the disk leaves nothing behind, and is written when there is space', async () => {
  const parts = () => readdirSync(host.deps.visits.folder).filter((name) => name.endsWith('.part'));
  const cache = new CodeCache(host.deps);
  const handle = await open(import.meta.filename);
  await handle.close();
  const full = vi
    .spyOn(Object.getPrototypeOf(handle) as FileHandle, 'appendFile')
    .mockRejectedValue(new Error('ENOSPC: no space left on device, write'));
  const code = await host.code(owner.id);
  await cache.find(code.slug);
  await expect.poll(() => full.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
  await expect.poll(parts).toEqual([]);
  full.mockRestore();
  const later = await host.code(owner.id);
  await cache.find(later.slug);
  await expect.poll(() => linesOf(later.slug), { timeout: 10_000 }).not.toEqual([]);
  expect(linesOf(code.slug)).not.toEqual([]);
  const left = join(host.deps.visits.folder, 'codes.log.of-a-killed-process.part');
  writeFileSync(left, 'half');
  utimesSync(left, 0, 0);
  new CodeCache(host.deps);
  expect(parts()).toEqual([]);
});

test('a host starts despite an unreadable snapshot', async () => {
  const path = join(host.deps.visits.folder, 'codes.log');
  rmSync(path, { force: true });
  mkdirSync(path);
  const { find } = await startWithoutDatabase();
  await expect(find('AAAAAAAA')).rejects.toMatchObject({ code: 'unavailable' });
  rmdirSync(path);
});

test('a host starts despite the rest of a snapshot that cannot be removed', async () => {
  const code = await host.code(owner.id);
  await fillCache(code.slug);
  const left = join(host.deps.visits.folder, 'codes.log.of-a-killed-process.part');
  mkdirSync(left);
  utimesSync(left, 0, 0);
  const { find } = await startWithoutDatabase();
  expect(await find(code.slug)).toMatchObject({ id: code.id });
  rmdirSync(left);
});

test('a snapshot unconfirmed for a week is not used, and damaged lines are skipped', async () => {
  const [whole, damaged] = [await host.code(owner.id), await host.code(owner.id)];
  await fillCache(damaged.slug);
  await expect.poll(() => linesOf(whole.slug), { timeout: 10_000 }).not.toEqual([]);
  const path = join(host.deps.visits.folder, 'codes.log');
  writeFileSync(path, readSnapshot().replaceAll(` ${damaged.slug} `, ` ${damaged.slug} x`));
  const { find } = await startWithoutDatabase();
  expect(await find(whole.slug)).toMatchObject({ id: whole.id });
  await expect(find(damaged.slug)).rejects.toMatchObject({ code: 'unavailable' });
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 8 * DAY_MS);
  const later = await startWithoutDatabase();
  clock.mockRestore();
  await expect(later.find(whole.slug)).rejects.toMatchObject({ code: 'unavailable' });
});
