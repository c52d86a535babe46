import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportAccount } from '#contract/accounts';
import { DraftFields } from '#contract/drafts';
import { DAY_MS } from '#contract/time';
import { exportCodes } from '#host/codes/code/export';
import { accounts } from '#host/db/accounts.tables';
import { codeChanges, drafts } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, buy, checkout, onboard, placeOrder, signIn } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('the export contains all data of the account and none of others', async () => {
  const [account, other] = [await host.account(), await host.account({ firstName: 'Mallory' })];
  const code = await host.code(account.id, { content: 'https://mine.example/' });
  await host.code(other.id, { content: 'https://theirs.example/' });
  const gone = await host.code(account.id);
  await send(host, 'DELETE', `/api/qrcodes/${gone.id}`, undefined, account);
  await send(host, 'PATCH', `/api/qrcodes/${code.id}`, { content: 'https://moved.example/' }, account);
  const address = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
  await send(host, 'POST', '/api/account/billing-addresses', address, account);
  const style = { moduleShape: 'dots', frame: 'badge', caption: 'Scan me' };
  await send(host, 'PATCH', `/api/qrcodes/${code.id}`, { style }, account);
  await send(host, 'POST', '/api/styles', { name: 'Menu', style, isDefault: true }, account);
  await send(host, 'POST', '/api/styles', { name: 'Mallory', style }, other);
  await host.db.orm.insert(codeTotals).values({ codeId: code.id, scans: 5, clicks: 2, others: 1 });

  for (const { email } of [account, other])
    await send(host, 'POST', '/api/account/forgot-password', { email: email.toUpperCase() });
  await host.mails();

  const answered = await send(host, 'GET', '/api/account/export', undefined, account);
  expect(answered.headers.get('cache-control')).toBe('no-store');
  const { data } = exportAccount.response.parse(answered.body);
  expect(data.account).toMatchObject({ id: account.id, email: account.email, locale: 'gb' });
  expect(data.addresses).toMatchObject([address]);
  expect(data.styles).toMatchObject([{ name: 'Menu', style, isDefault: true }]);
  expect(data.sessions).toMatchObject([{ current: true }]);
  expect(data.mails).toMatchObject([{ kind: 'account-mail.reset_password', to: account.email }]);
  expect(data.activities.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['qrcode_update', 'qrcode_delete']),
  );
  expect(data.codes).toHaveLength(2);
  expect(data.codes.find(({ id }) => id === code.id)).toMatchObject({
    content: 'https://moved.example/',
    style,
    changes: [
      { field: 'content', before: 'https://mine.example/', after: 'https://moved.example/' },
      { field: 'style', before: '' },
    ],
    totals: { scans: 5, clicks: 2, others: 1 },
    deletedAt: null,
  });
  expect(data.codes.find(({ id }) => id === gone.id)?.deletedAt).toBe(host.clock.now().toISOString());
  const text = JSON.stringify(answered.body);
  for (const foreign of [other.email, 'theirs.example', 'Mallory', 'argon2'])
    expect(text).not.toContain(foreign);
});

test('the export contains the name, the tags and the time of archiving of a code', async () => {
  const account = await host.account();
  const named = await host.code(account.id, { name: 'Table 12', tags: ['Menu', 'terrace'] });
  const plain = await host.code(account.id);
  host.clock.advance(1000);
  await send(host, 'PATCH', `/api/qrcodes/${named.id}`, { archived: true }, account);
  const archivedAt = host.clock.now().toISOString();
  host.clock.advance(1000);
  const { body } = await send(host, 'GET', '/api/account/export', undefined, account);
  const codes = exportAccount.response.parse(body).data.codes;
  const labelsOf = (id: string) => {
    const { name, tags, archivedAt } = codes.find((code) => code.id === id) ?? {};
    return { name, tags, archivedAt };
  };
  expect(labelsOf(named.id)).toEqual({ name: 'Table 12', tags: ['Menu', 'terrace'], archivedAt });
  expect(labelsOf(plain.id)).toEqual({ name: null, tags: [], archivedAt: null });
});

test('the export lists known devices without their tokens', async () => {
  const [account, other] = [await host.account(), await host.account()];
  const logIn = async ({ email, password }: typeof account, devices: string[] = []) => {
    const { body } = await send(host, 'POST', '/api/login_check', { email, password, devices });
    return body.device ?? '';
  };
  const first = { createdAt: host.clock.now().toISOString() };
  const token = await logIn(account);
  host.clock.advance(1000);
  const second = host.clock.now().toISOString();
  await logIn(account);
  await logIn(other);
  host.clock.advance(1000);
  await logIn(account, [token]);
  const { body } = await send(host, 'GET', '/api/account/export', undefined, account);
  expect(exportAccount.response.parse(body).data.knownDevices).toEqual([
    { ...first, lastSignInAt: host.clock.now().toISOString() },
    { createdAt: second, lastSignInAt: second },
  ]);
  expect(JSON.stringify(body)).not.toContain(token);
});

test('the export contains orders, payments, declarations and tickets, but no orders placed by others', async () => {
  const { email, reference } = await buy(host, { name: 'Grace Hopper' });
  await onboard(host, email);
  await advance(host, '49h');
  const declared = { name: 'Grace Hopper', email: email.toUpperCase(), reference, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  await advance(host, '1h');
  await placeOrder(host, checkout({ email, name: 'A Stranger' }));
  const token = await signIn(host, email);
  const ticket = { email, firstname: 'Grace', lastname: 'Hopper', subject: 'other' };
  await send(host, 'POST', '/api/tickets', { ...ticket, message: 'A message long enough' });
  const { data } = exportAccount.response.parse(
    (await send(host, 'GET', '/api/account/export', undefined, { token })).body,
  );
  expect(data.orders).toMatchObject([
    { status: 'complete', plan: 'basic_monthly', priceCents: 990, email, buyer: { name: 'Grace Hopper' } },
  ]);
  expect(data.transactions).toMatchObject([
    { amountCents: 990, refundedCents: 990, status: 'refunded', card: { last4: '4242' } },
  ]);
  expect(data.transactions[0]?.documents).toEqual([expect.stringMatching(/^F/), expect.stringMatching(/^A/)]);
  expect(data.transactions[0]?.refunds).toMatchObject([{ amountCents: 990, reason: 'withdrawal' }]);
  expect(data.declarations).toMatchObject([
    { kind: 'withdraw', email: email.toUpperCase(), outcome: 'done' },
  ]);
  expect(data.tickets).toMatchObject([{ ...ticket, message: 'A message long enough' }]);
  expect(data.mails.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['mail.ticket_arrived', 'billing-mail.withdraw_received']),
  );
  for (const mail of data.mails) expect(Object.keys(mail)).toHaveLength(5);
  for (const kept of ['token=', 'A Stranger']) expect(JSON.stringify(data)).not.toContain(kept);
});

test('codes beyond one page are all exported, each once', async () => {
  const account = await host.account();
  for (let made = 0; made < 501; made += 1) await host.code(account.id);
  const answered = await send(host, 'GET', '/api/account/export', undefined, account);
  const { data } = exportAccount.response.parse(answered.body);
  expect(new Set(data.codes.map(({ id }) => id)).size).toBe(501);
  expect(data.codes).toHaveLength(501);
});

test('long histories are read in parts, and exported whole', async () => {
  const { id: accountId } = await host.account();
  const { orm } = host.db;
  const at = host.clock.now();
  for (let made = 0; made < 3; made += 1) {
    const { id: codeId } = await host.code(accountId);
    const change = { codeId, at, field: 'rules' as const, before: '', after: 'x'.repeat(400_000) };
    await orm.insert(codeChanges).values(Array.from({ length: 6 }, () => ({ ...change, id: randomUUID() })));
  }
  const presenting = { shortUrl: host.deps.settings.shortUrl, log: host.deps.log, now: at };
  const parts: number[][] = [];
  for await (const codes of exportCodes(orm, accountId, presenting))
    parts.push(codes.map(({ changes }) => changes.length));
  expect(parts).toEqual([[6], [6], [6]]);
});

test('exports are limited to ten an hour', async () => {
  const account = await host.account();
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await send(host, 'GET', '/api/account/export', undefined, account)).status).toBe(200);
  }
  expect((await send(host, 'GET', '/api/account/export', undefined, account)).status).toBe(429);
});

test('an export that fails midway aborts the response and is logged', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const broken = await createTestHost({ log });
  const account = await broken.account();
  await broken.code(account.id);
  const answered = await broken.request('/api/account/export', { token: account.token });
  expect(answered.status).toBe(200);
  await broken.db.orm.execute('alter table code_changes rename to unreadable');
  await expect(answered.text()).rejects.toThrow();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'a response was aborted',
      what: 'account',
      err: { message: expect.stringContaining('code_changes') },
    },
  ]);
  await broken.close();
});

test('the export contains every activity, however many there are', async () => {
  const account = await host.account();
  await host.db.orm.execute(sql`insert into activities (id, account_id, type, at)
    select gen_random_uuid(), ${account.id}, 'auth_login', now() - nr % 5000 * interval '1 minute'
    from generate_series(1, 10050) as nr`);
  const { body } = await send(host, 'GET', '/api/account/export', undefined, account);
  const { activities } = exportAccount.response.parse(body).data;
  expect(activities).toHaveLength(10_050);
  const times = activities.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().toReversed());
});

test('the export contains declarations made before the e-mail address changed', async () => {
  const { email, reference } = await buy(host);
  await onboard(host, email);
  const token = await signIn(host, email);
  const declared = { name: 'Grace Hopper', email, confirmed: true };
  await send(host, 'POST', '/api/contract/cancel', { ...declared, reference });
  await host.runBilling();
  await send(host, 'POST', '/api/contract/withdraw', { ...declared, reference: '' }, { token });
  await host.runBilling();
  await host.db.orm
    .update(accounts)
    .set({ email: `new-${email}` })
    .where(eq(accounts.email, email));
  const { body } = await send(host, 'GET', '/api/account/export', undefined, { token });
  const kinds = exportAccount.response.parse(body).data.declarations.map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['cancel', 'withdraw']);
});

test('the export contains designs that could not become codes', async () => {
  const account = await host.account();
  const fields = DraftFields.parse({ type: 'text', content: 'too long to be a code', name: 'Menu' });
  await host.db.orm.insert(drafts).values({
    id: randomUUID(),
    visitorHash: 'of a browser',
    fields,
    accountId: account.id,
    expiresAt: new Date(host.clock.now().getTime() + DAY_MS),
  });
  const { body } = await send(host, 'GET', '/api/account/export', undefined, account);
  const { unfinishedDesigns } = exportAccount.response.parse(body).data;
  expect(unfinishedDesigns).toMatchObject([fields]);
  expect(JSON.stringify(body)).not.toContain('of a browser');
});
