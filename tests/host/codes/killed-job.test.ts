import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Job } from '#contract/jobs';
import { createAccount, grantAccess } from '#host/accounts/accounts.store';
import { insertCodes } from '#host/codes/codes.insert';
import { makeSlug } from '#host/codes/slugs';
import { activities } from '#host/db/accounts.tables';
import type { Database } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import { codeJobProblems, codeJobs } from '#host/db/jobs.tables';
import { createSession } from '#host/sessions/sessions.store';
import { signToken } from '#host/sessions/tokens';
import { startHostProcess } from '../../support/host-process';
import { durableDatabases, SECRET } from '../../support/killed-host-grounds';

const CODES = 600;
const DAY_MS = 24 * 3_600_000;

/** Creates a subscriber with `CODES` codes; returns a session token. */
async function makeSubscriber(db: Database): Promise<string> {
  const [accountId, sessionId, now] = [randomUUID(), randomUUID(), new Date()];
  const [email, expiresAt] = [`${accountId}@test.example`, new Date(now.getTime() + 30 * DAY_MS)];
  const names = { firstName: '', lastName: '' };
  await createAccount(db.orm, { id: accountId, email, passwordHash: '', createdAt: now, ...names });
  await grantAccess(db.orm, accountId, { plan: 'monthly', status: 'active', accessUntil: expiresAt });
  const session = { id: sessionId, accountId, remember: true, userAgent: '', createdAt: now, expiresAt };
  await createSession(db.orm, session);
  await insertCodes(
    db.orm,
    accountId,
    Array.from({ length: CODES }, (_, index) => ({
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
  return signToken({ accountId, sessionId, email, roles: ['ROLE_USER'], expiresAt }, [SECRET], now);
}

test.each(durableDatabases)(
  'a job whose host is killed is finished by the next host, and processes no code twice (%s)',
  async (_, prepare) => {
    const ground = await prepare();
    const token = await makeSubscriber(await ground.open());
    const call = async (port: number, path: string, body?: object): Promise<Job> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/jobs${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await answer.json()) as { data: Job }).data;
    };

    const killed = await startHostProcess(ground.env);
    const { id } = await call(killed.port, '', { act: 'tag', tag: 'seen', filter: { search: 'TABLE' } });
    await expect
      .poll(async () => (await call(killed.port, `/${id}`)).succeeded, { timeout: 30_000, interval: 5 })
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
      .poll(() => call(next.port, `/${id}`), { timeout: 60_000, interval: 50 })
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
  },
  240_000,
);
