import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Job } from '#contract/jobs';
import { insertCodes } from '#host/codes/code/create';
import { makeSlug } from '#host/codes/code/slugs';
import { activities } from '#host/db/accounts.tables';
import type { Database } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import { codeJobProblems, codeJobs } from '#host/db/jobs.tables';
import { startHostProcess } from '../../support/host-process';
import { createDurableDatabase, makeSubscriber } from '../../support/killed-host-fixture';

const CODES = 600;
/** Eight parts, each of which becomes codes in one transaction. */
const ROWS = 800;
/** Right after a part, and some time into the next. */
const KILLED_AFTER_MS = [0, 60];

/** Creates a subscriber with this many codes; returns a session token. */
async function makeOwner(db: Database, count: number): Promise<string> {
  const { accountId, token } = await makeSubscriber(db.orm);
  const now = new Date();
  await insertCodes(
    db.orm,
    accountId,
    Array.from({ length: count }, (_, index) => ({
      id: randomUUID(),
      accountId,
      slug: makeSlug(randomBytes),
      type: 'link' as const,
      name: `Table ${index}`,
      content: 'https://destination.example/',
      visibility: 'public' as const,
      useWhiteBackground: false,
      createdAt: now,
      updatedAt: now,
    })),
  );
  await db.close();
  return token;
}

function caller(token: string) {
  return async (port: number, path: string, body?: object): Promise<Job> => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, ...(!isForm && { 'Content-Type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    return ((await answer.json()) as { data: Job }).data;
  };
}

test('a job whose host is killed is finished by the next host, and processes no code twice', async () => {
  const ground = await createDurableDatabase();
  const token = await makeOwner(await ground.open(), CODES);
  const call = caller(token);
  const killed = await startHostProcess(ground.env);
  const { id } = await call(killed.port, '/jobs', { act: 'tag', tag: 'seen', filter: { search: 'TABLE' } });
  await expect
    .poll(async () => (await call(killed.port, `/jobs/${id}`)).succeeded, { timeout: 30_000, interval: 20 })
    .toBeGreaterThan(0);
  expect(await killed.stop('SIGKILL')).toBeNull();

  const left = await ground.open();
  const [half] = await left.orm.select().from(codeJobs).where(eq(codeJobs.id, id));
  expect(half).toMatchObject({ status: 'running', total: CODES });
  expect(half?.position).toBeLessThan(CODES);
  expect(await left.orm.$count(codeChanges)).toBe(half?.succeeded);
  await left.close();

  const next = await startHostProcess(ground.env);
  await expect
    .poll(() => call(next.port, `/jobs/${id}`), { timeout: 60_000, interval: 250 })
    .toMatchObject({ status: 'done', succeeded: CODES, failed: 0 });
  expect(await next.stop('SIGTERM')).toBe(0);

  const db = await ground.open();
  const changes = await db.orm.select().from(codeChanges);
  const rows = await db.orm.select().from(codes);
  expect(changes.map(({ codeId }) => codeId).sort()).toEqual(rows.map((code) => code.id).sort());
  expect(rows.filter(({ tagIds }) => tagIds.length !== 1)).toEqual([]);
  expect(await db.orm.$count(codeJobProblems)).toBe(0);
  expect(await db.orm.select().from(activities)).toMatchObject([{ type: 'qrcode_update', codes: CODES }]);
  await db.close();
  await ground.clear();
}, 240_000);

test('an import whose hosts are killed is finished by the next host, and makes each row one code', async () => {
  const ground = await createDurableDatabase();
  const call = caller(await makeOwner(await ground.open(), 0));
  const targets = Array.from({ length: ROWS }, (_, index) => `https://row.example/${index}`);
  const file = new FormData();
  file.set('file', new File([`url\n${targets.join('\n')}\n`], 'rows.csv', { type: 'text/csv' }));

  let host = await startHostProcess(ground.env);
  const report = await call(host.port, '/imports', file);
  const { id } = await call(host.port, `/imports/${report.id}/start`, {});
  let before = 0;
  for (const lateMs of KILLED_AFTER_MS) {
    await expect
      .poll(async () => (await call(host.port, `/jobs/${id}`)).succeeded, { timeout: 60_000, interval: 20 })
      .toBeGreaterThan(before);
    await delay(lateMs);
    expect(await host.stop('SIGKILL')).toBeNull();
    const left = await ground.open();
    const [half] = await left.orm.select().from(codeJobs).where(eq(codeJobs.id, id));
    expect(half).toMatchObject({ status: 'running', total: ROWS });
    before = half?.succeeded ?? 0;
    expect(before).toBeLessThan(ROWS);
    expect(await left.orm.$count(codes)).toBe(before);
    await left.close();
    host = await startHostProcess(ground.env);
  }
  await expect
    .poll(() => call(host.port, `/jobs/${id}`), { timeout: 60_000, interval: 250 })
    .toMatchObject({ status: 'done', succeeded: ROWS, failed: 0 });
  expect(await host.stop('SIGTERM')).toBe(0);

  const db = await ground.open();
  const made = await db.orm.select().from(codes).orderBy(codes.number);
  expect(made.map(({ content }) => content)).toEqual(targets);
  expect(await db.orm.$count(codeJobProblems)).toBe(0);
  expect(await db.orm.select().from(activities)).toMatchObject([{ type: 'qrcode_create', codes: ROWS }]);
  await db.close();
  await ground.clear();
}, 240_000);
