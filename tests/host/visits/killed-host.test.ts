import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { createAccount } from '#host/accounts/store';
import { insertCode } from '#host/codes/code/create';
import type { Database } from '#host/db/client';
import { startHostProcess } from '../../support/host-process';
import { createDurableDatabase } from '../../support/killed-host-fixture';
import { readCounts } from './stored-visits';

const SLUGS = ['AAAAAAA0', 'AAAAAAA1', 'AAAAAAA2', 'AAAAAAA3'];
/** After 25 ms the host responds without waiting for the commit; before that, the visit is committed. */
const SURELY_COMMITTED_MS = 20;
const ENOUGH = 400;

async function makeCodes(db: Database): Promise<void> {
  const [accountId, now] = [randomUUID(), new Date()];
  const names = { firstName: '', lastName: '' };
  await createAccount(db.orm, {
    id: accountId,
    email: 'a@b.example',
    passwordHash: '',
    createdAt: now,
    ...names,
  });
  for (const slug of SLUGS) {
    await insertCode(db.orm, {
      id: randomUUID(),
      accountId,
      slug,
      type: 'link',
      content: 'https://destination.example/',
      visibility: 'public',
      useWhiteBackground: false,
      createdAt: now,
      updatedAt: now,
    });
  }
  await db.close();
}

/** Scans over eight connections until stopped; counts the responses, and those sent after their commit. */
function startScanning(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const scans = { sent: 0, answered: 0, committed: 0 };
  let isRunning = true;

  async function scan(): Promise<void> {
    while (isRunning) {
      const sentAt = performance.now();
      scans.sent += 1;
      const status = await new Promise<number | undefined>((done) => {
        const path = `/r/${SLUGS[scans.sent % SLUGS.length]}`;
        const call = request({
          port,
          path,
          agent,
          headers: { 'user-agent': `Mozilla/5.0 (${scans.sent % 7})` },
        });
        call.on('response', (response) => response.resume().on('end', () => done(response.statusCode)));
        call.on('error', () => done(undefined)).end();
      });
      if (status !== 302) continue;
      scans.answered += 1;
      if (performance.now() - sentAt < SURELY_COMMITTED_MS) scans.committed += 1;
    }
  }

  const running = Promise.all(Array.from({ length: 8 }, scan));
  return {
    scans,
    stop: async () => {
      isRunning = false;
      await running;
      agent.destroy();
    },
  };
}

test('no acknowledged visit is lost when a host is killed', async () => {
  const ground = await createDurableDatabase();
  await makeCodes(await ground.open());

  const killed = await startHostProcess(ground.env);
  const first = startScanning(killed.port);
  await expect.poll(() => first.scans.committed, { timeout: 30_000, interval: 5 }).toBeGreaterThan(ENOUGH);
  expect(await killed.stop('SIGKILL')).toBeNull();
  await first.stop();

  const restarted = await startHostProcess(ground.env);
  const second = startScanning(restarted.port);
  await expect.poll(() => second.scans.answered, { timeout: 30_000, interval: 5 }).toBeGreaterThan(ENOUGH);
  await second.stop();
  expect(await restarted.stop('SIGTERM')).toBe(0);

  const db = await ground.open();
  const { raw, hours, totals } = await readCounts(db);
  // Rows of the killed host, too recent to be taken over yet; the next host to start counts them.
  const text = 'select coalesce(sum(size), 0)::int as size from visit_journal';
  const [left] = await db.query<{ size: number }>({ name: '', text, values: [] });
  await db.close();
  await ground.clear();
  const written = raw.reduce((sum, { count }) => sum + count, 0);
  const kept = written + (left?.size ?? 0);
  expect(kept).toBeGreaterThanOrEqual(first.scans.committed + second.scans.answered);
  expect(kept).toBeLessThanOrEqual(first.scans.sent + second.scans.sent);
  expect(hours.reduce((sum, { count }) => sum + count, 0)).toBe(written);
  expect(totals.reduce((sum, { scans, others }) => sum + scans + others, 0)).toBe(written);
}, 240_000);
