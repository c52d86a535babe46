import { data } from '@remix-run/node';
import { z } from 'zod';
import { correctOrderEmail, resendOrderMail } from '#contract/subscriptions';
import { checkPaymentStatus } from '#contract/transactions';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { readFormatters } from './formatters.server';

const MailFields = z.object({
  intent: z.enum(['resend', 'correct']).catch('resend'),
  email: z.string().default(''),
});
const FIELDS = Object.keys(MailFields.shape);

/**
 * The status of the order in `?payment_intent=`, formatted; 404 page if it is unknown, 429 page after too many
 * requests. An address without an order leads to the subscription, and a visitor to the login page before it.
 */
export async function getPayment(scope: Scope) {
  const payment_intent_id = intentOf(scope);
  if (payment_intent_id === '') {
    throw await redirectWithFlash('/user/subscription', {
      type: 'info',
      key: 'order_not_named',
      persistent: true,
    });
  }
  try {
    const { data: found } = await callHost(scope, checkPaymentStatus, {
      body: { payment_intent_id, visitor: scope.visitor.key },
    });
    const { money, dateTime } = await readFormatters(scope);
    const { state, failure, offer, reference, email, amountCents, firstChargeAt } = found;
    const { draft, code, canResend, canCorrect } = found;
    const orderPath = isSignedIn(scope) ? '/user/subscription/order' : '/subscribe';
    const isAhead = firstChargeAt !== null && Date.parse(firstChargeAt) > Date.now();
    return {
      state,
      failure,
      offer,
      reference,
      email,
      draft,
      code,
      canResend,
      canCorrect,
      /** Which texts describe the outcome. */
      outcome: failure === 'already_running' ? ('alreadyRunning' as const) : state,
      amount: money(amountCents),
      /** Before the first charge: the amount paid so far, zero, and the date of the charge. */
      trial: state === 'succeeded' && isAhead ? { nothing: money(0), date: dateTime(firstChargeAt) } : null,
      again: `${orderPath}/${offer}${failure === 'trial_used' || !firstChargeAt ? '?trial=no' : ''}`,
    };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    throw data(null, { status: thrown.status === 429 ? 429 : 404 });
  }
}
export type Payment = Awaited<ReturnType<typeof getPayment>>;

/** Sends the mails of an order again, or to a corrected address; then shows the same page with a notice. */
export async function handleOrderMail(scope: Scope) {
  const form = await readForm(scope, FIELDS);
  const payment_intent_id = intentOf(scope);
  const page = `/payment-success?${new URLSearchParams({ payment_intent: payment_intent_id })}`;
  return handleForm(scope, form, MailFields, ['email'], async ({ intent, email }) => {
    if (intent === 'resend') {
      await callHost(scope, resendOrderMail, { body: { payment_intent_id } });
      return redirectWithFlash(page, { type: 'success', key: 'order_mail_sent' });
    }
    await callHost(scope, correctOrderEmail, {
      body: { payment_intent_id, visitor: scope.visitor.key, email },
    });
    const values = { email: email.trim() };
    const notice = { type: 'success', key: 'order_email_corrected', values, persistent: true } as const;
    return redirectWithFlash(page, notice);
  });
}

function intentOf(scope: Scope): string {
  return scope.url.searchParams.get('payment_intent') ?? '';
}
