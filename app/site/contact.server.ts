import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { createTicket, TicketForm, TicketSubject } from '#contract/tickets';
import { getTicketValidation } from '#contract/validation';
import { keepConstraints } from '~/http/constraints.server';
import { env } from '~/http/env.server';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import { getRobotCheck } from '~/http/robot-check.server';
import type { Asker } from '~/http/scope.server';
import { findLiveSession } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';

const OrderReference = z.string().regex(/^Q-\w{5}-\w{5}$/);
const FIELDS = Object.keys(TicketForm.shape);

const ContactForm = TicketForm.extend({
  website: z.string().max(1000, 'too_large').optional(),
  key: z.string().max(100, 'malformed').optional(),
  ...robotFields,
});

const ticketConstraints = keepConstraints((asker) => callHost(asker, getTicketValidation, {}));

/** What the contact form needs to appear; name and e-mail of whoever is signed in. */
export async function contactData(asker: Asker) {
  const { searchParams } = new URL(asker.request.url);
  const [constraint, sender, robotCheck] = await Promise.all([
    ticketConstraints(asker),
    findSender(asker),
    getRobotCheck(asker),
  ]);
  return {
    isSent: searchParams.has('sent'),
    /** Of the order that the message is about. */
    reference: OrderReference.safeParse(searchParams.get('reference')).data ?? null,
    key: randomUUID(),
    constraint,
    sender,
    subjects: TicketSubject.options,
    contactEmail: env.CONTACT_EMAIL,
    robotCheck,
  };
}
export type ContactData = Awaited<ReturnType<typeof contactData>>;

/** Hands the message to the host; a refusal shows the form again with everything typed. */
export async function handleContact(asker: Asker) {
  const form = await readForm(asker, Object.keys(ContactForm.shape));
  const checked = checkForm(asker, form, ContactForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, FIELDS, async () => {
    const locale = await getLocale(asker.request);
    const session = await findLiveSession(asker.request);
    const token = session?.token;
    await callHost(asker, createTicket, { body: { ...checked.value, locale }, ...(token && { token }) });
    return redirectWithNotice('/contact?sent=1', { type: 'success', key: 'ticket_sent' });
  });
}

/** Nobody when the account cannot be asked: the form works without. */
async function findSender(asker: Asker) {
  const session = await findLiveSession(asker.request);
  if (!session) return null;
  try {
    const { data } = await callHost(asker, getProfile, { token: session.token });
    return { email: data.email, firstname: data.firstName, lastname: data.lastName };
  } catch (thrown) {
    if (thrown instanceof Response) throw thrown;
    return { email: session.email, firstname: '', lastname: '' };
  }
}
