import { onTestFinished } from 'vitest';
import { mails } from '#host/db/mail.tables';
import { deliverDueMails } from '#host/mail/delivery';
import { type NewMail, queueMail } from '#host/mail/outbox';
import { createSmtpTransport } from '#host/mail/transports';
import type { TestHost } from '../../support/host';
import { startSmtpCatcher } from './smtp-catcher';

const START = new Date('2026-03-02T10:00:00.000Z');

/** An empty outbox, a mail server, and a worker between them; closed at the end of the test. */
export async function startOutbox(host: TestHost) {
  const smtp = await startSmtpCatcher();
  const mail = createSmtpTransport(smtp.url);
  onTestFinished(async () => {
    mail.close();
    await smtp.close();
  });
  await host.db.orm.delete(mails);
  host.clock.set(START);
  return {
    smtp,
    host,
    deliver: () => deliverDueMails({ ...host.deps, mail }, host.clock.now()),
    queue: (more: Partial<NewMail> = {}) =>
      queueMail(host.db.orm, { ...ticketMail('ada@test.example'), ...more }, host.clock.now()),
    rows: () => host.db.orm.select().from(mails).orderBy(mails.place),
    row: async () => (await host.db.orm.select().from(mails))[0],
  };
}

export function ticketMail(to: string): NewMail {
  return { to, locale: 'gb', template: 'mail.ticket_received', values: ticketValues() };
}

export function ticketValues() {
  return { email: 'ada@test.example', firstname: 'Ada', topic: 'Something else', message: 'A question' };
}
