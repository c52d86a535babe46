import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { mails } from '#host/db/mail.tables';
import { deliverDueMails, RETRY_MS } from '#host/mail/delivery';
import { claimDueMails, dropOldMails, forgetMailsTo } from '#host/mail/mails.store';
import { type NewMail, queueMail } from '#host/mail/outbox';
import { createSmtpTransport } from '#host/mail/transports';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { startSmtpCatcher } from './smtp-catcher';

const DAY_MS = 86_400_000;
const START = new Date('2026-03-02T10:00:00.000Z');
const closing: (() => unknown)[] = [];
let embedded: TestHost;

beforeAll(async () => {
  embedded = await createTestHost();
});

afterAll(() => embedded.close());

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An empty outbox, a mail server, and a worker between them. */
async function start(host = embedded) {
  const smtp = await startSmtpCatcher();
  const mail = createSmtpTransport(smtp.url);
  closing.push(smtp.close, mail.close);
  await host.db.orm.delete(mails);
  host.clock.set(START);
  return {
    smtp,
    host,
    deliver: () => deliverDueMails({ ...host.deps, mail }, host.clock.now()),
    queue: (more: Partial<NewMail> = {}) =>
      queueMail(host.db.orm, { ...ticketMail('ada@test.example'), ...more }, host.clock.now()),
    row: async () => (await host.db.orm.select().from(mails))[0],
  };
}

async function startOn(open: () => Promise<TestHost['db']>) {
  const host = await createTestHost({ db: await open() });
  closing.push(host.close);
  return start(host);
}

test('a mail goes out over SMTP and what it said is emptied', async () => {
  const { smtp, deliver, queue, row } = await start();
  await queue({ values: { ...values(), firstname: 'Éva' } });
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

test('answers go where the mail says, and attachments come along', async () => {
  const { smtp, deliver, queue, row } = await start();
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

test('a mail of an act that was undone is never sent', async () => {
  const { smtp, host, deliver } = await start();
  const act = host.db.orm.transaction(async (orm) => {
    await queueMail(orm, ticketMail('ada@test.example'), host.clock.now());
    throw new Error('undone');
  });
  await expect(act).rejects.toThrow('undone');
  await deliver();
  expect(smtp.caught).toEqual([]);
});

test('a mail with the key of an earlier one is not queued', async () => {
  const { smtp, deliver, queue } = await start();
  expect(await queue({ dedupeKey: 'reminder:1' })).toBe(true);
  expect(await queue({ dedupeKey: 'reminder:1' })).toBe(false);
  expect(await queue({ dedupeKey: 'reminder:2' })).toBe(true);
  await deliver();
  expect(smtp.caught).toHaveLength(2);
});

test('a mail that lacks a value is refused when it is queued', async () => {
  const { queue } = await start();
  const { firstname: _, ...rest } = values();
  await expect(queue({ values: rest })).rejects.toThrow('Mail mail.ticket_received lacks firstname');
  await expect(queue({ template: 'account-mail.onboarding', values: { days: 7 } })).rejects.toThrow(
    'actionUrl',
  );
});

test('characters that PostgreSQL cannot hold do not stop a mail', async () => {
  const { smtp, deliver, queue } = await start();
  await queue({ values: { ...values(), message: 'nul \0 half \uD800 whole \u{1F600}' } });
  await deliver();
  expect(smtp.caught).toHaveLength(1);
});

test('a refused mail is tried again later, as the same mail', async () => {
  const { smtp, host, deliver, queue, row } = await start();
  smtp.refuse(true);
  await queue();
  await deliver();
  const failed = await row();
  expect(failed).toMatchObject({ sentAt: null, attempts: 1, claimedUntil: null });
  // A server's answer names the recipient: what is kept of it are its codes.
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

test('a mail nobody takes is given up after six attempts', async () => {
  const { smtp, host, deliver, queue, row } = await start();
  await smtp.close();
  await queue();
  for (const wait of [0, ...RETRY_MS]) {
    expect((await row())?.givenUpAt).toBeNull();
    host.clock.advance(wait);
    await deliver();
  }
  expect(await row()).toMatchObject({ attempts: 6, sentAt: null, givenUpAt: host.clock.now(), values: {} });
  host.clock.advance(30 * DAY_MS);
  await deliver();
  expect((await row())?.attempts).toBe(6);
  expect((await row())?.lastError).toContain('ECONNREFUSED');
});

test.each(engines)('two workers on one database send each mail once (%s)', async (_, open) => {
  const { smtp, host, deliver, queue } = await startOn(open);
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

test.each(engines)('what a dead node was sending goes out again under the same id (%s)', async (_, open) => {
  const { smtp, host, deliver, queue } = await startOn(open);
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

test('finished mails go after a month, keyed ones lose their reader then and go after thirteen', async () => {
  const { smtp, host, deliver, queue } = await start();
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
  host.clock.advance(29 * DAY_MS);
  expect(await left()).toHaveLength(3);
  host.clock.advance(2 * DAY_MS);
  const waiting = ['waiting@test.example', null];
  expect(await left()).toEqual([['', 'yearly:2026'], waiting]);
  expect(await queue({ dedupeKey: 'yearly:2026' })).toBe(false);
  host.clock.advance(370 * DAY_MS);
  expect(await left()).toEqual([waiting]);
});

test('mails to an address are forgotten on request', async () => {
  const { host, queue } = await start();
  await queue({ to: 'Ada@Test.example' });
  await queue({ to: 'eva@test.example' });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select({ to: mails.to }).from(mails)).toEqual([{ to: 'eva@test.example' }]);
  expect(await host.db.orm.select().from(mails).where(eq(mails.to, 'Ada@Test.example'))).toEqual([]);
});

test('a receipt that is still to be sent goes out before it is forgotten', async () => {
  const { host, queue } = await start();
  const typed = { name: 'Ada', email: 'ada@test.example', reference: '–' };
  const said = { receivedAt: '2 March 2026', hours: 72, ...typed };
  await queue({ template: 'billing-mail.cancel_received', values: said, dedupeKey: 'declared:1' });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select().from(mails)).toMatchObject([{ dedupeKey: 'declared:1' }]);
  await host.db.orm.update(mails).set({ sentAt: host.clock.now() });
  await forgetMailsTo(host.db.orm, 'ada@test.example');
  expect(await host.db.orm.select().from(mails)).toEqual([]);
});

function values() {
  return { email: 'ada@test.example', firstname: 'Ada', topic: 'Something else', message: 'A question' };
}

function ticketMail(to: string): NewMail {
  return { to, locale: 'gb', template: 'mail.ticket_received', values: values() };
}
