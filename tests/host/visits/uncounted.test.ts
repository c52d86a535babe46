import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { updateCode } from '#contract/codes';
import { readRows } from '#host/db/orm';
import { listSnapshotSlugs } from '#host/visits/resolve/snapshot';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const VISITOR = {
  'x-client-ip': '203.0.113.77',
  'user-agent': 'Mozilla/5.0 (Linux; Android 15; Quaestor 9)',
};
const JSON_VISITOR = { ...VISITOR, accept: 'application/json' };
const NO_TRACE = 'no';

let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;
let lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  broken = breakable(await openFresh());
  host = await createTestHost({ log, db: broken.db });
  owner = await host.account();
});
beforeEach(() => broken.set('none'));
afterAll(() => host.close());

/** Everything that is stored: each row of each table, each file, and the metrics of visits and calls. */
async function everything() {
  const { orm } = host.db;
  const tables = await readRows<{ name: string }>(
    orm,
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const stored: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await readRows<{ rows: string }>(
      orm,
      sql`select coalesce(string_agg(one::text, E'\n' order by one::text), '') as rows from ${sql.raw(name)} as one`,
    );
    stored[name] = row?.rows;
  }
  const { folder } = host.deps.visits;
  const files = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];
  for (const file of files.map((name) => join(folder, name)))
    if (statSync(file).isFile()) stored[file] = readFileSync(file, 'latin1');
  stored.meters = JSON.stringify([host.deps.meters.visits, host.deps.meters.visitLatency]);
  return stored;
}

/**
 * The same once nothing is on its way any more: nodes are notified of new codes, and write those they know to a file, in
 * the order in which they were made.
 */
async function settled(): Promise<Awaited<ReturnType<typeof everything>>> {
  const { slug } = await host.code(owner.id);
  await expect.poll(() => listSnapshotSlugs(host.deps.visits.folder, 1_000)).toContain(slug);
  return everything();
}

type Made = Awaited<ReturnType<TestHost['code']>>;

/** In every way in which a visitor can come across a code. */
async function visitInEveryWay({ slug }: Made): Promise<Response[]> {
  const answers: Response[] = [];
  for (const headers of [VISITOR, JSON_VISITOR]) {
    for (const path of [`/r/${slug}`, `/R/${slug}`, `/l/${slug}`, `/l/${slug}?counted=1`])
      answers.push(await host.request(path, { headers }));
    for (const path of [`/e/${slug}/write`, `/e/${slug}/open?n=1`, `/e/${slug}/logo`, `/b/${slug}`])
      answers.push(await host.request(path, { headers }));
    for (const path of [`/e/${slug}/copy`, `/b/${slug}`])
      answers.push(await host.request(path, { method: 'POST', headers }));
    answers.push(await host.request(`/b/${slug}`, { method: 'OPTIONS', headers }));
    answers.push(await host.request(`/r/${slug}`, { method: 'HEAD', headers }));
  }
  await host.recorder.idle();
  return answers;
}

const KINDS = [
  ['link', {}],
  ['text', { type: 'text', content: 'Sulphites: see https://destination.example/label' }],
  ['email', { type: 'email', content: 'cellar@destination.example' }],
  ['phone', { type: 'phone', content: '+33123456789' }],
  ['private link', { visibility: 'private' }],
  ['private text', { type: 'text', content: 'Ours', visibility: 'private' }],
  ['deleted link', { deletedAt: new Date('2026-03-01T00:00:00Z') }],
  ['blocked link', { blockedAt: new Date('2026-03-01T00:00:00Z') }],
] as const;

const KIND_NAMES = KINDS.map(([name]) => name);
/** Uncounted ones by kind, and what is stored after they were made. */
const made = new Map<string, Made>();
let whole: Awaited<ReturnType<typeof everything>>;

test.each(KIND_NAMES)('visits to an uncounted %s leave nothing anywhere', async (kind) => {
  if (made.size === 0) {
    for (const [name, fields] of KINDS)
      made.set(name, await host.code(owner.id, { ...fields, isCounted: false }));
    whole = await settled();
  }
  const code = made.get(kind);
  if (!code) throw new Error('no such code');
  lines = [];
  const answers = await visitInEveryWay(code);
  expect(lines).toEqual([]);
  expect(await everything()).toEqual(whole);
  for (const answer of answers) {
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('x-visits-counted')).toBe(NO_TRACE);
    expect(answer.headers.get('location') ?? '').not.toContain('counted=');
  }
});

test('the same visits to a counted code leave rows, so that this would be noticed', async () => {
  const code = await host.code(owner.id);
  const before = await settled();
  lines = [];
  const answers = await visitInEveryWay(code);
  const after = await everything();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(changed).toEqual(expect.arrayContaining(['public.visits', 'public.code_totals', 'meters']));
  expect(lines.length).toBeGreaterThan(0);
  expect(answers[0]?.headers.get('x-visits-counted')).toBeNull();
});

test('no log line names a code, because a program cannot always know whether it is counted', async () => {
  const code = await host.code(owner.id, { type: 'text', content: 'Hello' });
  lines = [];
  for (const path of [`/e/${code.slug}/copy`, `/b/${code.slug}`])
    await host.request(path, { method: 'POST', headers: VISITOR });
  expect(lines.join()).toContain('/e/{code}/copy');
  expect(lines.join()).not.toContain(code.slug);
});

test.each(['down', 'stuck'] as const)(
  'an uncounted code is answered at once while the database is away (%s), and leaves no file',
  async (trouble) => {
    const code = await host.code(owner.id, { isCounted: false });
    const before = await settled();
    await host.request(`/r/${code.slug}`, { headers: VISITOR });
    lines = [];
    broken.set(trouble);
    const answering = host.request(`/r/${code.slug}`, { headers: VISITOR });
    const answer = await Promise.race([answering, delay(1_000)]);
    expect([answer?.status, answer?.headers.get('location')]).toEqual([302, code.content]);
    expect(lines.join()).not.toContain(code.slug);
    broken.set('none');
    expect(await everything()).toEqual(before);
  },
);

test('switching counting off and on takes effect with the next visit and leaves marks in the history', async () => {
  const code = await host.code(owner.id);
  const change = (counted: boolean) =>
    host.request(`/api/qrcodes/${code.id}`, {
      method: 'PATCH',
      token: owner.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ counted }),
    });
  /** Visits of a node that may not have been notified yet would tell nothing. */
  const isKnownAs = (counted: boolean) =>
    vi.waitFor(async () => {
      const answer = await host.request(`/l/${code.slug}`, { method: 'HEAD' });
      expect(answer.headers.get('x-visits-counted')).toBe(counted ? null : NO_TRACE);
    });
  const scans = async () => {
    await host.request(`/r/${code.slug}`, { headers: VISITOR });
    const [row] = await readRows<{ scans: number }>(
      host.db.orm,
      sql`select scans from code_totals where code_id = ${code.id}`,
    );
    return Number(row?.scans ?? 0);
  };
  expect(await scans()).toBe(1);
  const off = updateCode.response.parse(await (await change(false)).json());
  expect(off.data).toMatchObject({ counted: false, visits: { total: 1 } });
  await isKnownAs(false);
  expect(await scans()).toBe(1);
  host.clock.advance(1_000);
  expect((await change(true)).status).toBe(200);
  await isKnownAs(true);
  expect(await scans()).toBe(2);
  expect((await change(true)).status).toBe(200);
  const read = await host.request(`/api/qrcodes/${code.id}`, { token: owner.token });
  const { data } = (await read.json()) as { data: { changes: object[] } };
  expect(data.changes).toMatchObject([
    { field: 'counted', before: 'false', after: 'true' },
    { field: 'counted', before: 'true', after: 'false' },
  ]);
});

test('a code whose image holds its content can be neither, and says so', async () => {
  const code = await host.code(owner.id, { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;' });
  const answer = await host.request(`/api/qrcodes/${code.id}`, {
    method: 'PATCH',
    token: owner.token,
    headers: { 'content-type': 'application/json' },
    body: '{"counted":false}',
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { errors: { counted: ['counted_in_image'] } },
  ]);
});
