import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { codes } from '#host/db/codes.tables';
import { mails } from '#host/db/mail.tables';
import { queueMail } from '#host/mail/outbox';
import { runCommand } from '#host/operator/run-command';
import { eraseAccount } from '#host/privacy/erasure';
import { findKnownDevice } from '#host/sign-in/known-devices';
import { insertTicket } from '#host/tickets/store';
import { eraseSingleVisits } from '#host/visits/count/retention';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, buy } from '../../support/ordering';

const JSON_CALLER = { headers: { accept: 'application/json' } };

let host: TestHost;

beforeEach(async () => {
  host = await createTestHost();
  onTestFinished(() => host.close());
});

const ask = (command: string, subject = '', reason = '') =>
  runCommand(host.deps, { command, subject, reason, operator: 'ada' });
const act = (command: string, subject: string) => ask(command, subject, 'a report of 2 March');
const auditLog = async (about = '') => (await ask('audit-log', about)) as Record<string, unknown>[];
const mailsTo = async (email: string) => (await host.mails()).filter(({ to }) => to === email);
const open = async (slug: string) => {
  const answer = await host.request(`/r/${slug}`, JSON_CALLER);
  return answer.status === 302 ? answer.headers.get('location') : (await answer.json()).code;
};
/** Polls until this node has been notified of the change. */
const opens = (slug: string) => expect.poll(() => open(slug));

test('an account is found by anything its owner can name', async () => {
  const bought = await buy(host);
  await advance(host, '49h');
  const found = (await ask('show', bought.email.toUpperCase())) as { id: string };
  expect(found).toMatchObject({
    email: bought.email,
    subscription: { status: 'active' },
    payments: [{ status: 'paid', amountCents: 990, documents: 'F2026-000001' }],
  });
  const { slug } = await host.code(found.id);
  for (const name of [found.id, 'f2026-000001', slug, `https://go.quadrille.example/R/${slug}`]) {
    expect(await ask('show', name), name).toMatchObject({ email: bought.email });
  }
  expect(JSON.stringify(found)).not.toMatch(/passwordHash|token/i);
  for (const nobody of ['nobody@test.example', randomUUID(), 'F2026-999999', 'ZZZZZZZZ']) {
    await expect(ask('show', nobody)).rejects.toMatchObject({ exit: 3 });
  }
});

test('what was changed is found by the names that other commands take', async () => {
  const { id, email } = await host.account();
  const { slug } = await host.code(id);
  await act('block-code', slug);
  await act('end-sessions', email);
  await act('block-target', 'shop.example');
  const actsOn = async (name: string) => (await auditLog(name)).map((entry) => entry.act);
  for (const name of [slug, `https://go.quadrille.example/R/${slug}`])
    expect(await actsOn(name), name).toEqual(['block-code']);
  for (const name of [id, id.toUpperCase(), email.toUpperCase()])
    expect(await actsOn(name), name).toEqual(['end-sessions', 'block-code']);
  expect(await actsOn('https://Shop.Example/')).toEqual(['block-target']);
  await expect(auditLog('nobody@test.example')).rejects.toMatchObject({ exit: 3 });
});

test('a blocked code does not redirect until it is unblocked, and its owner is told why', async () => {
  const { id, email } = await host.account();
  const code = await host.code(id);
  expect(await open(code.slug)).toBe(code.content);
  await act('block-code', code.slug);
  await opens(code.slug).toBe('code_blocked');
  await expect(act('block-code', code.slug)).rejects.toMatchObject({ exit: 4 });
  await act('unblock-code', code.slug);
  await opens(code.slug).toBe(code.content);
  await expect(act('unblock-code', code.slug)).rejects.toMatchObject({ exit: 4 });
  const reported = (await mailsTo(email)).reverse();
  expect(reported.map(({ template }) => template)).toEqual([
    'account-mail.code_blocked',
    'account-mail.code_unblocked',
  ]);
  expect(reported[0]?.text).toContain('a report of 2 March');
  expect(reported[0]?.text).toContain(code.slug);
  expect(await auditLog(id)).toMatchObject([
    { operator: 'ada', act: 'unblock-code', subject: code.id, accountId: id },
    { operator: 'ada', act: 'block-code', subject: code.id, reason: 'a report of 2 March' },
  ]);
  await expect(act('block-code', 'ZZZZZZZZ')).rejects.toMatchObject({ exit: 3 });
});

test('a code that outlived its account can be blocked and unblocked too, and nobody is mailed', async () => {
  const account = await host.account();
  const code = await host.code(account.id);
  await open(code.slug);
  await eraseAccount(host.deps, account.id, { now: host.clock.now(), keepsLinks: true });
  await eraseSingleVisits(host.db.orm, host.clock.now());
  const mailCount = (await host.mails()).length;
  await act('block-code', code.slug);
  await opens(code.slug).toBe('code_blocked');
  await act('unblock-code', code.slug);
  await opens(code.slug).toBe(code.content);
  expect(await host.mails()).toHaveLength(mailCount);
});

test('no code redirects to a blocked host or its subdomains, even one created later; each owner is notified once', async () => {
  const [one, other] = [await host.account(), await host.account()];
  const bad = await host.code(one.id, { content: 'https://evil.example/a' });
  const below = await host.code(one.id, { content: 'https://login.evil.example/?b' });
  const unicode = await host.code(other.id, { content: 'https://Bücher.example/' });
  const good = await host.code(other.id, { content: 'https://notevil.example/evil.example' });
  for (const { slug } of [bad, below, good]) await open(slug);
  expect(await act('block-target', 'https://EVIL.example/path')).toMatchObject({
    host: 'evil.example',
    blocked: expect.arrayContaining([bad.slug, below.slug]),
  });
  await opens(bad.slug).toBe('code_blocked');
  expect(await open(below.slug)).toBe('code_blocked');
  expect(await open(good.slug)).toBe(good.content);
  const later = await host.code(other.id, { content: 'https://www.evil.example/' });
  expect(await open(later.slug)).toBe('code_blocked');
  expect(await mailsTo(one.email)).toMatchObject([{ template: 'account-mail.code_blocked' }]);
  expect(await mailsTo(other.email)).toEqual([]);
  await expect(act('block-target', 'evil.example')).rejects.toMatchObject({ exit: 4 });
  expect(await ask('blocked-targets')).toMatchObject([{ host: 'evil.example' }]);

  await act('unblock-target', 'evil.example');
  await opens(bad.slug).toBe(bad.content);
  await expect(act('unblock-target', 'evil.example')).rejects.toMatchObject({ exit: 4 });
  await expect(act('block-target', 'no host')).rejects.toMatchObject({ exit: 4 });
  expect(await act('block-target', 'bücher.example')).toMatchObject({ blocked: [unicode.slug] });
  expect((await auditLog()).map(({ act, subject }) => [act, subject])).toEqual([
    ['block-target', 'xn--bcher-kva.example'],
    ['unblock-target', 'evil.example'],
    ['block-target', 'evil.example'],
  ]);
});

test('an owner is told of a block only if a code stopped because of it, and of its end only if it works again', async () => {
  const { id, email } = await host.account();
  const code = await host.code(id, { content: 'https://shop.evil.example/' });
  await host.code(id, { type: 'text', content: 'See https://evil.example/, or not' });
  const [none, slugs] = [{ blocked: [], unblocked: [] }, [code.slug]];
  const templates = async () => (await mailsTo(email)).map(({ template }) => template.split('.')[1]);

  expect(await act('block-code', code.slug)).toMatchObject({ blocked: slugs, unblocked: [] });
  expect(await act('block-target', 'evil.example')).toMatchObject(none);
  expect(await act('unblock-code', code.slug)).toMatchObject(none);
  expect(await act('block-target', 'shop.evil.example')).toMatchObject(none);
  expect(await act('unblock-target', 'evil.example')).toMatchObject(none);
  expect(await templates()).toEqual(['code_blocked']);
  expect(await act('unblock-target', 'shop.evil.example')).toMatchObject({ blocked: [], unblocked: slugs });
  expect((await templates()).sort()).toEqual(['code_blocked', 'code_unblocked']);

  await act('block-code', code.slug);
  await host.db.orm.update(codes).set({ deletedAt: host.clock.now() }).where(eq(codes.id, code.id));
  await expect(act('unblock-code', code.slug)).rejects.toThrow('was deleted');
});

test('an invoice is refunded once, through the provider and with a credit note', async () => {
  const bought = await buy(host);
  await advance(host, '49h');
  const { id } = (await ask('show', bought.email)) as { id: string };
  await act('refund', 'F2026-000001');
  await expect(act('refund', 'F2026-000001')).rejects.toMatchObject({ exit: 4 });
  await host.runBilling();
  expect(await ask('show', id)).toMatchObject({
    subscription: { status: 'active' },
    payments: [{ status: 'refunded', refundedCents: 990, documents: 'F2026-000001 A2026-000001' }],
  });
  await expect(act('refund', 'F2026-000001')).rejects.toMatchObject({ exit: 4 });
  await expect(act('refund', 'A2026-000001')).rejects.toMatchObject({ exit: 4 });
  await expect(act('refund', 'F2026-000009')).rejects.toMatchObject({ exit: 3 });
  expect(await auditLog(id)).toMatchObject([{ act: 'refund', subject: 'F2026-000001', accountId: id }]);
  expect((await mailsTo(bought.email)).map(({ template }) => template)).toContain('billing-mail.refunded');
});

test('of two concurrent refunds one is booked and audited', async () => {
  await buy(host);
  await advance(host, '49h');
  const both = await Promise.allSettled([act('refund', 'F2026-000001'), act('refund', 'F2026-000001')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await auditLog()).toHaveLength(1);
});

test('links and documents are resent, and a waiting mail is retried at once', async () => {
  const bought = await buy(host);
  await advance(host, '49h');
  const count = async (template: string) =>
    (await mailsTo(bought.email)).filter((mail) => mail.template === template).length;
  const before = await count('account-mail.onboarding');
  await act('resend-onboarding', bought.email);
  expect(await count('account-mail.onboarding')).toBe(before + 1);
  host.clock.advance(1_000);
  for (const times of [2, 3]) {
    await act('resend-invoice', 'F2026-000001');
    await host.runBilling();
    expect(await count('billing-mail.receipt')).toBe(times);
    host.clock.advance(1_000);
  }
  const { email } = await host.account();
  await queueMail(
    host.db.orm,
    {
      to: email,
      locale: 'gb',
      template: 'account-mail.onboarding_known',
      values: { actionUrl: 'https://a.example' },
    },
    host.clock.now(),
  );
  const dueAt = new Date(host.clock.now().getTime() + 3_600_000);
  const [mail] = await host.db.orm.update(mails).set({ dueAt }).where(eq(mails.to, email)).returning();
  expect(await mailsTo(email)).toEqual([]);
  await act('resend-mail', mail?.id ?? '');
  expect(await mailsTo(email)).toHaveLength(1);
  await expect(act('resend-mail', mail?.id ?? '')).rejects.toMatchObject({ exit: 4 });
  await expect(act('resend-mail', randomUUID())).rejects.toMatchObject({ exit: 3 });
  await expect(act('resend-mail', 'no-id')).rejects.toMatchObject({ exit: 3 });
});

test('an account is signed out everywhere, once', async () => {
  const { id, token } = await host.account();
  expect((await host.request('/api/account/profile', { token })).status).toBe(200);
  expect(await act('end-sessions', id)).toEqual({ account: id, sessions: 1, devices: 0 });
  expect((await host.request('/api/account/profile', { token })).status).toBe(401);
  await expect(act('end-sessions', id)).rejects.toMatchObject({ exit: 4 });
});

test('signing out an account also forgets its known devices, signed in or not', async () => {
  const account = await host.account();
  const { body } = await send(host, 'POST', '/api/login_check', account);
  for (const session of [account, body]) await send(host, 'POST', '/api/account/logout', undefined, session);
  const { device } = body as { device?: string };
  const known = () => findKnownDevice(host.db.orm, [device ?? ''], account.id);
  expect(await known()).not.toBeNull();
  expect(await act('end-sessions', account.id)).toMatchObject({ sessions: 0, devices: 1 });
  expect(await known()).toBeNull();
  await expect(act('end-sessions', account.id)).rejects.toMatchObject({ exit: 4 });
});

test('an account is erased only by its id, with its contract, and earlier reasons about it are deleted', async () => {
  const bought = await buy(host);
  const { id } = (await ask('show', bought.email)) as { id: string };
  const { slug } = await host.code(id);
  await act('block-code', slug);
  await expect(act('erase', bought.email)).rejects.toMatchObject({ exit: 2 });
  await ask('erase', id, 'asked for by letter');
  await expect(ask('erase', id, 'asked for by letter')).rejects.toMatchObject({ exit: 3 });
  await expect(ask('show', id)).rejects.toMatchObject({ exit: 3 });
  expect(await open(slug)).toBe('code_deleted');
  expect(await auditLog(id)).toMatchObject([
    { act: 'erase', subject: id, reason: 'asked for by letter' },
    { act: 'block-code', accountId: id, reason: '' },
  ]);
  const rows = await host.db.query({
    name: 'test-contract',
    text: 'select status from subscriptions where account_id = $1',
    values: [id],
  });
  expect(rows).toEqual([{ status: 'canceled' }]);
  expect(JSON.stringify(await auditLog())).not.toContain('@');
});

test('tickets are listed, all or those of an account', async () => {
  const { email } = await host.account();
  const ticket = {
    firstname: 'Ada',
    lastname: 'Tester',
    subject: 'report' as const,
    locale: 'gb' as const,
  };
  for (const sender of [email, 'else@test.example']) {
    const createdAt = host.clock.now();
    await insertTicket(host.db.orm, {
      ...ticket,
      id: randomUUID(),
      email: sender,
      message: 'Hello',
      createdAt,
    });
  }
  expect(await ask('tickets')).toHaveLength(2);
  expect(await ask('tickets', email)).toMatchObject([{ email, message: 'Hello' }]);
});

test('changes need a reason without an e-mail address, and are rolled back if they cannot be audited', async () => {
  const { slug } = await host.code((await host.account()).id);
  for (const reason of ['', '  ', 'asked for by ada@test.example', 'x'.repeat(501)])
    await expect(ask('block-code', slug, reason)).rejects.toMatchObject({ exit: 2 });
  await expect(ask('no-such-thing')).rejects.toMatchObject({ exit: 2 });
  await expect(ask('constructor')).rejects.toMatchObject({ exit: 2 });
  await expect(ask('block-code', '', 'why')).rejects.toMatchObject({ exit: 2 });
  await expect(
    runCommand(host.deps, { command: 'block-code', subject: slug, reason: 'why', operator: '\0' }),
  ).rejects.toThrow();
  expect(await ask('code', slug)).toMatchObject({ slug, blockedAt: null });
  expect(await auditLog()).toEqual([]);
});
