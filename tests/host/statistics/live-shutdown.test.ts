import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, grantAccess } from '#host/accounts/store';
import { createSession } from '#host/sign-in/sessions';
import { signToken } from '#host/sign-in/tokens';
import { startHostProcess } from '../../support/host-process';
import { createDurableDatabase, type DurableDatabase, SECRET } from '../../support/killed-host-fixture';
import { readEvents } from './events';

const PATH = '/api/qrcodes/stats/stream';
const EXIT_MS = 10_000;

let database: DurableDatabase;
let token: string;

beforeAll(async () => {
  database = await createDurableDatabase();
  const db = await database.open();
  const [id, sessionId, now] = [randomUUID(), randomUUID(), new Date()];
  const email = 'a@b.example';
  const expiresAt = new Date(now.getTime() + 3_600_000);
  const names = { firstName: '', lastName: '' };
  await createAccount(db.orm, { id, email, passwordHash: '', createdAt: now, ...names });
  await grantAccess(db.orm, id, { plan: 'monthly', status: 'active', accessUntil: expiresAt });
  const session = { accountId: id, remember: true, userAgent: '', createdAt: now, expiresAt };
  await createSession(db.orm, { id: sessionId, ...session });
  token = await signToken({ accountId: id, sessionId, email, roles: [], expiresAt }, [SECRET], now);
  await db.close();
}, 60_000);
afterAll(() => database.clear());

test('a host with open streams, one of them unread, stops in time', async () => {
  const host = await startHostProcess(database.env);
  const headers = { authorization: `Bearer ${token}` };
  const answered = await fetch(`http://127.0.0.1:${host.port}${PATH}`, { headers });
  const events = readEvents(answered.body);
  expect((await events.next())?.name).toBe('ready');
  const deaf = connect(host.port, '127.0.0.1').pause();
  deaf.on('error', () => undefined);
  deaf.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${host.port}/healthz`)).status).toBe(200);
  const stoppedAt = performance.now();
  const stopping = host.stop('SIGTERM');
  expect(await events.next()).toBeNull();
  expect(await stopping).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(EXIT_MS);
  deaf.destroy();
}, 60_000);
