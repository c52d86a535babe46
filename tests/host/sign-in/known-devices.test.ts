import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knownDevices } from '#host/db/accounts.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { countWaiting } from '../../support/locks';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('a device that signs in while it is being dropped is known again', async () => {
  const { id, email, password } = await host.account();
  const logIn = (devices: string[]) => send(host, 'POST', '/api/login_check', { email, password, devices });
  const { device = '' } = (await logIn([])).body;
  const [known] = await host.db.orm.select().from(knownDevices).where(eq(knownDevices.accountId, id));
  const { entering } = await host.db.orm.transaction(async (transaction) => {
    await transaction.delete(knownDevices).where(eq(knownDevices.id, known?.id ?? ''));
    const begun = logIn([device]);
    await expect.poll(() => countWaiting(host.db.orm)).toBe(1);
    return { entering: begun };
  });
  const entered = await entering;
  expect([entered.status, entered.body.device === device]).toEqual([200, false]);
});

test('a new device is stored even if twenty others seem to have signed in later', async () => {
  const { id: accountId, email, password } = await host.account();
  const ahead = new Date(host.clock.now().getTime() + 1000);
  const others = Array.from({ length: 20 }, () => ({
    id: randomUUID(),
    accountId,
    hash: randomUUID(),
    createdAt: ahead,
    lastSignInAt: ahead,
  }));
  await host.db.orm.insert(knownDevices).values(others);
  expect((await send(host, 'POST', '/api/login_check', { email, password })).status).toBe(200);
  const kept = await host.db.orm.select().from(knownDevices).where(eq(knownDevices.accountId, accountId));
  expect(kept).toHaveLength(20);
  expect(kept.filter(({ createdAt }) => createdAt < ahead)).toHaveLength(1);
});
