import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import type { Locale } from '#contract/locales';
import { createTicket, type TicketSubject } from '#contract/tickets';
import { emailKey, MAILS_PER_MAILBOX } from '#host/accounts/account-limits';
import type { Authenticate } from '#host/http/caller';
import { findCaller } from '#host/http/caller';
import { requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, type RateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { findRecipient } from '#host/subscriptions/customers';
import de from '../../locales/de/contact.json';
import es from '../../locales/es/contact.json';
import fr from '../../locales/fr/contact.json';
import gb from '../../locales/gb/contact.json';
import it from '../../locales/it/contact.json';
import { hasTicket, insertTicket } from './store';

const PER_IP: RateLimit = { name: 'ticket-ip', points: 5, windowSeconds: 60 * 60 };
const PER_EMAIL: RateLimit = { name: 'ticket-email', points: 5, windowSeconds: 60 * 60 };

export function mountTickets({ mount }: Router, deps: Deps, authenticate: Authenticate): void {
  const { db, clock, settings } = deps;

  mount(createTicket, async ({ body, clientIp, log, context }) => {
    const now = clock.now();
    const { comment, person, key, captcha, formToken, ...ticket } = body;
    if (comment !== '' && !person) {
      log.info({ event: 'honeypot' }, 'ticket refused until its sender says to be a person');
      throw invalidField('person', 'person_required');
    }
    const mailbox = ticket.email.toLowerCase();
    // Before the limits and the captcha, whose token is valid once: a repeated post must find the first one.
    const { locale, ...sent } = ticket;
    const formKey = key && formKeyOf(key, sent);
    if (formKey && (await hasTicket(db.orm, ticket.email, formKey))) return done('ticket_sent');
    await consumeRateLimit(db.orm, PER_IP, clientIp, now);
    const proof = { captcha, formToken };
    await requireCaptcha(deps, { proof, action: 'contact', clientIp, person: emailKey(mailbox) });
    // After the captcha, so that robots caught there do not use up the limit of a mailbox.
    await consumeRateLimit(db.orm, PER_EMAIL, emailKey(mailbox), now);
    await consumeRateLimit(db.orm, MAILS_PER_MAILBOX, emailKey(mailbox), now);

    // A message must not be mailed to an arbitrary address that its sender typed.
    const isOwn = (await findCaller(context, authenticate))?.email.toLowerCase() === mailbox;
    const template = isOwn ? ('mail.ticket_received' as const) : ('mail.ticket_arrived' as const);
    const id = randomUUID();
    const values = { ...ticket, topic: TOPICS[locale][ticket.subject], ticketId: id };
    await db.orm.transaction(async (orm) => {
      if (!(await insertTicket(orm, { id, ...ticket, formKey, createdAt: now }))) return;
      const toSupport = { to: settings.contactEmail, replyTo: ticket.email };
      await queueMail(orm, { ...toSupport, locale, template: 'mail.ticket_new', values }, now);
      const { dueAt } = await findRecipient(orm, { to: ticket.email, clientIp }, now);
      await queueMail(orm, { to: ticket.email, locale, template, values, dueAt }, now);
    });
    log.info({ event: 'ticket', ticket: id }, 'ticket stored');
    return done('ticket_sent');
  });
}

/** The subjects as worded in the contact form. */
const TOPICS: Record<Locale, Record<TicketSubject, string>> = {
  gb: gb.subjects,
  fr: fr.subjects,
  es: es.subjects,
  de: de.subjects,
  it: it.subjects,
};
