import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { mails } from '#host/db/mail.tables';
import { queueMail } from '#host/mail/outbox';
import { claimDueMails, dropOldMails, forgetMailsTo } from '#host/mail/store';
import { createTestHost, type TestHost } from '../../support/host';
import { startOutbox, ticketMail, ticketValues } from './outbox-with-server';

let shared: TestHost;

beforeAll(async () => {
  shared = await createTestHost();
});

afterAll(() => shared.close());

async function startAlone() {
  const host = await createTestHost();
  onTestFinished(() => host.close());
  return startOutbox(host);
}

test('a mail is sent over SMTP, and its content is then cleared', async () => {
  const { smtp, deliver, queue, row } = await startOutbox(shared);
  await queue({ values: { ...ticketValues(), firstname: 'Éva' } });
  await deliver();
  const [mail] = smtp.caught;
  const sent = await row();
  expect(mail?.recipients).toEqual(['ada@test.example']);
  expect(mail?.headers).toMatchObject({
    from: 'Quadrille <contact@quadrille.example>',
    to: 'ada@test.example',
    subject: 'We have received your message',
    'message-id': `<${sent?.id}@quadrille.example>`,
    date: 'Mon, 02 Mar 2026 10:00:00 +0000',
    'auto-submitted': 'auto-generated',
  });
  expect(mail?.raw).toContain('Hello =C3=89va,');
  expect(mail?.raw).toMatch(/Content-Type: text\/plain[\s\S]+Content-Type: text\/html/);
  expect(sent).toMatchObject({ values: {}, text: null, html: null, subject: null, attempts: 1 });
  await deliver();
  expect(smtp.caught).toHaveLength(1);
});

test('a mail has its Reply-To address and its attachments', async () => {
  const { smtp, deliver, queue, row } = await startOutbox(shared);
  const attachments = [
    { filename: 'terms.txt', contentType: 'text/plain', content: new TextEncoder().encode('the terms') },
  ];
  await queue({ replyTo: 'eva@test.example', attachments });
  await deliver();
  expect(smtp.caught[0]?.headers['reply-to']).toBe('eva@test.example');
  expect(smtp.caught[0]?.headers['auto-submitted']).toBeUndefined();
  expect(smtp.caught[0]?.raw).toMatch(/filename="?terms\.txt/);
  expect(smtp.caught[0]?.raw).toContain(Buffer.from('the terms').toString('base64'));
  expect((await row())?.attachments).toEqual([]);
});

test('a mail of a transaction that was rolled back is never sent', async () => {
  const { smtp, host, deliver } = await startOutbox(shared);
  const act = host.db.orm.transaction(async (orm) => {
    await queueMail(orm, ticketMail('ada@test.example'), host.clock.now());
    throw new Error('undone');
  });
  await expect(act).rejects.toThrow('undone');
  await deliver();
  expect(smtp.caught).toEqual([]);
});

test('a mail with the dedupe key of an earlier one is not queued', async () => {
  const { smtp, deliver, queue } = await startOutbox(shared);
  expect(await queue({ dedupeKey: 'reminder:1' })).toBe(true);
  expect(await queue({ dedupeKey: 'reminder:1' })).toBe(false);
  expect(await queue({ dedupeKey: 'reminder:2' })).toBe(true);
  await deliver();
  expect(smtp.caught).toHaveLength(2);
});

test('a mail with a missing value is refused when it is queued', async () => {
  const { queue } = await startOutbox(shared);
  const { firstname: _, ...rest } = ticketValues();
  await expect(queue({ values: rest })).rejects.toThrow('Mail mail.ticket_received lacks firstname');
  await expect(queue({ template: 'account-mail.onboarding', values: { days: 7 } })).rejects.toThrow(
    'actionUrl',
  );
});

test('a mail with characters that PostgreSQL cannot store is still sent', async () => {
  const { smtp, deliver, queue } = await startOutbox(shared);
  await queue({ values: { ...ticketValues(), message: 'nul \0 half \uD800 whole \u{1F600}' } });
  await deliver();
  expect(smtp.caught).toHaveLength(1);
});

test('a refused mail is retried later with the same message id', async () => {
  const { smtp, host, deliver, queue, row } = await startOutbox(shared);
  smtp.refuse(true);
  await queue();
  await deliver();
  const failed = await row();
  expect(failed).toMatchObject({ sentAt: null, attempts: 1, claimedUntil: null });
  // The server's response names the recipient, so only its codes are kept.
  expect(failed?.lastError).toBe('EMESSAGE 451 4.7.1');
  smtp.refuse(false);
  host.clock.advance(59_000);
  await deliver();
  expect(smtp.caught).toHaveLength(0);
  host.clock.advance(1_000);
  await deliver();
  expect(smtp.caught[0]?.headers['message-id']).toBe(`<${failed?.id}@quadrille.example>`);
  expect(await row()).toMatchObject({ attempts: 2, lastError: null, sentAt: host.clock.now() });
});

test('two workers on one database send each mail once', async () => {
  const { smtp, host, deliver, queue } = await startAlone();
  const addresses = Array.from({ length: 43 }, (_each, place) => `reader${place}@test.example`);
  for (const to of addresses) await queue({ to });
  await Promise.all([deliver(), deliver(), deliver()]);
  const reached = smtp.caught.flatMap(({ recipients }) => recipients).sort();
  expect(reached).toEqual([...addresses].sort());
  const [left] = await host.db.orm
    .select({ n: sql<string>`count(*)` })
    .from(mails)
    .where(sql`sent_at is null`);
  expect(Number(left?.n)).toBe(0);
});

test('a mail that a dead node was sending is sent again with the same id', async () => {
  const { smtp, host, deliver, queue } = await startAlone();
  await queue();
  const [claimed] = await claimDueMails(host.db.orm, host.clock.now(), 10);
  host.clock.advance(2 * DAY_MS);
  await deliver();
  expect(smtp.caught).toEqual([]);
  await host.db.orm.update(mails).set({ claimedUntil: sql`now() - interval '1 second'` });
  await deliver();
  expect(smtp.caught.map(({ headers }) => headers['message-id'])).toEqual([
    `<${claimed?.id}@quadrille.example>`,
  ]);
});

test('sent mails are dropped after a month, keyed ones lose their recipient then and are dropped after thirteen', async () => {
  const { smtp, host, deliver, queue } = await startOutbox(shared);
  await queue();
  await queue({ dedupeKey: 'yearly:2026' });
  await deliver();
  smtp.refuse(true);
  await queue({ to: 'waiting@test.example' });
  const left = async () => {
    await dropOldMails(host.db.orm, host.clock.now());
    const rows = await host.db.orm.select().from(mails).orderBy(mails.to);
    return rows.map(({ to, dedupeKey }) => [to, dedupeKey]);
  };
  host.clock.advance(30 * DAY_MS);
  expect(await left()).toHaveLength(3);
  host.clock.advance(1);
  const waiting = ['waiting@test.example', null];
  expect(await left()).toEqual([['', 'yearly:2026'], waiting]);
  expect(await queue({ dedupeKey: 'yearly:2026' })).toBe(false);
  host.clock.advance(DEDUPE_RETENTION_MS - 30 * DAY_MS - 1);
  expect(await left()).toHaveLength(2);
  host.clock.advance(1);
  expect(await left()).toEqual([waiting]);
});

test('mails to an address are deleted on request', async () => {
  const { host, queue } = await startOutbox(shared);
  await queue({ to: 'Ada@Test.example' });
  await queue({ to: 'eva@test.example' });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select({ to: mails.to }).from(mails)).toEqual([{ to: 'eva@test.example' }]);
  expect(await host.db.orm.select().from(mails).where(eq(mails.to, 'Ada@Test.example'))).toEqual([]);
});

test('an unsent receipt is kept until it is sent', async () => {
  const { host, queue } = await startOutbox(shared);
  const said = { receivedAt: '2 March 2026', hours: 72, details: 'Name: Ada' };
  await queue({ template: 'billing-mail.cancel_received', values: said, dedupeKey: 'declared:1' });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select().from(mails)).toMatchObject([{ dedupeKey: 'declared:1' }]);
  await host.db.orm.update(mails).set({ sentAt: host.clock.now() });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select().from(mails)).toEqual([]);
});

test('unsent notices and reminders are dropped with the account, receipts are not', async () => {
  const { host, queue } = await startOutbox(shared);
  const to = 'ada@test.example';
  const charge = { amount: '€9.90', plan: 'Basic', card: 'Visa', period: 'March', nextCharge: '' };
  const about = { ...charge, number: 'F2026-000001', actionUrl: 'https://a.example' };
  await queue({ to, template: 'billing-mail.receipt', values: about });
  await queue({
    to,
    template: 'billing-mail.trial_reminder',
    values: { ...about, firstChargeAt: '4 March' },
  });
  const failed = { ...about, retryAt: '7 March', access: 'Until 4 March.' };
  await queue({ to, template: 'billing-mail.charge_failed', values: failed });
  const renewal = { ...about, renewalAt: '4 April', deadline: '3 April' };
  await queue({ to, template: 'billing-mail.renewal_notice', values: renewal });
  const ended = { ...about, receivedAt: '4 March', ended: 'It had ended.', charges: 'Nothing more.' };
  await queue({ to, template: 'billing-mail.already_ended', values: ended });
  await forgetMailsTo(host.db.orm, to);
  expect(await host.db.orm.select({ template: mails.template }).from(mails).orderBy(mails.place)).toEqual([
    { template: 'billing-mail.receipt' },
    { template: 'billing-mail.already_ended' },
  ]);
});
