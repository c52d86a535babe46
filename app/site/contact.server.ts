import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { createTicket, TicketForm, TicketSubject } from '#contract/tickets';
import { getTicketValidation } from '#contract/validation';
import { getCaptcha } from '~/http/captcha.server';
import { cacheConstraints } from '~/http/constraints.server';
import { env } from '~/http/env.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { findLiveSession } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';

const OrderReference = z.string().regex(/^Q-\w{5}-\w{5}$/);
const FIELDS = [...Object.keys(TicketForm.shape), 'person'];

const ContactForm = TicketForm.extend({
  comment: z.string().max(1000, 'too_large').optional(),
  person: z.boolean().optional(),
  key: z.string().max(100, 'malformed').optional(),
  ...robotFields,
});

const ticketConstraints = cacheConstraints((requestContext) =>
  callHost(requestContext, getTicketValidation, {}),
);

/** Data of the contact form, with the name and e-mail of a signed-in user. */
export async function contactData(requestContext: RequestContext) {
  const { searchParams } = new URL(requestContext.request.url);
  const [constraint, sender, captcha] = await Promise.all([
    ticketConstraints(requestContext),
    findSender(requestContext),
    getCaptcha(requestContext),
  ]);
  return {
    isSent: searchParams.has('sent'),
    /** Reference of the order that the message is about. */
    reference: OrderReference.safeParse(searchParams.get('reference')).data ?? null,
    key: randomUUID(),
    constraint,
    sender,
    subjects: TicketSubject.options,
    contactEmail: env.CONTACT_EMAIL,
    captcha,
  };
}
export type ContactData = Awaited<ReturnType<typeof contactData>>;

/** Sends the message to the host; a refusal shows the form again with everything typed. */
export async function handleContact(requestContext: RequestContext) {
  const form = await readForm(requestContext, Object.keys(ContactForm.shape));
  const checked = checkForm(requestContext, form, ContactForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, FIELDS, async () => {
    const locale = await getLocale(requestContext.request);
    const session = await findLiveSession(requestContext.request);
    const token = session?.token;
    await callHost(requestContext, createTicket, {
      body: { ...checked.value, locale },
      ...(token && { token }),
    });
    return redirectWithFlash('/contact?sent=1', { type: 'success', key: 'ticket_sent' });
  });
}

/**
 * Null for visitors; only the e-mail if the profile cannot be loaded, because the form works without the
 * name.
 */
async function findSender(requestContext: RequestContext) {
  const session = await findLiveSession(requestContext.request);
  if (!session) return null;
  try {
    const { data } = await callHost(requestContext, getProfile, { token: session.token });
    return { email: data.email, firstname: data.firstName, lastname: data.lastName };
  } catch (thrown) {
    if (thrown instanceof Response) throw thrown;
    return { email: session.email, firstname: '', lastname: '' };
  }
}
