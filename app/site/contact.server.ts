import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { createTicket, TicketForm, TicketSubject } from '#contract/tickets';
import { getTicketValidation } from '#contract/validation';
import { getCaptcha } from '~/http/captcha.server';
import { cacheConstraints } from '~/http/constraints.server';
import { env } from '~/http/env.server';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { isSignedIn, newFormKey, type Scope } from '~/http/scope.server';

const OrderReference = z.string().regex(/^Q-\w{5}-\w{5}$/);
const FIELDS = [...Object.keys(TicketForm.shape), 'person'];

const ContactForm = TicketForm.extend({
  comment: z.string().max(1000, 'too_large').optional(),
  person: z.boolean().optional(),
  key: z.string().max(100, 'malformed').optional(),
  ...robotFields,
});

const ticketConstraints = cacheConstraints((scope) => callHost(scope, getTicketValidation));

/** Data of the contact form, with the name and e-mail of a signed-in user. */
export async function contactData(scope: Scope) {
  const { searchParams } = scope.url;
  const [constraint, sender, captcha] = await Promise.all([
    ticketConstraints(scope),
    findSender(scope),
    getCaptcha(scope),
  ]);
  return {
    isSent: searchParams.has('sent'),
    /** Reference of the order that the message is about. */
    reference: OrderReference.safeParse(searchParams.get('reference')).data ?? null,
    key: newFormKey(scope),
    constraint,
    sender,
    subjects: TicketSubject.options,
    contactEmail: env.CONTACT_EMAIL,
    captcha,
  };
}
export type ContactData = Awaited<ReturnType<typeof contactData>>;

/** Sends the message to the host; a refusal shows the form again with everything typed. */
export async function handleContact(scope: Scope) {
  const form = await readForm(scope, Object.keys(ContactForm.shape));
  return handleForm(scope, form, ContactForm, FIELDS, async (entered) => {
    const { locale, user } = scope;
    await callHost(scope, createTicket, { body: { ...entered, locale }, token: user?.token });
    return redirectWithFlash('/contact?sent=1', { type: 'success', key: 'ticket_sent' });
  });
}

/**
 * Null for visitors; only the e-mail if the profile cannot be loaded, because the form works without the
 * name.
 */
async function findSender(scope: Scope) {
  if (!isSignedIn(scope)) return null;
  try {
    const { data } = await callHost(scope, getProfile);
    return { email: data.email, firstname: data.firstName, lastname: data.lastName };
  } catch (thrown) {
    if (thrown instanceof Response) throw thrown;
    return { email: scope.user.email, firstname: '', lastname: '' };
  }
}
