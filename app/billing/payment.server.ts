import { data } from '@remix-run/node';
import { checkPaymentStatus } from '#contract/transactions';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Asker } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { readZone } from '~/i18n/time-zone.server';
import { wordingOf } from './wording.server';

/** How the order of `?payment_intent=` stands, in words; 404 page without one, 429 page after too many looks. */
export async function getPayment(asker: Asker) {
  const id = new URL(asker.request.url).searchParams.get('payment_intent') ?? '';
  try {
    const [{ data: found }, locale] = await Promise.all([
      callHost(asker, checkPaymentStatus, { body: { payment_intent_id: id } }),
      getLocale(asker.request),
    ]);
    const { money } = wordingOf(locale, readZone(asker.request, locale));
    const { state, failure, offer, reference, email, amountCents, firstChargeAt } = found;
    return {
      ...{ state, failure, offer, reference, email },
      amount: money(amountCents),
      again: `/subscribe/${offer}${failure === 'trial_used' || !firstChargeAt ? '?trial=no' : ''}`,
    };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    throw data(null, { status: thrown.status === 429 ? 429 : 404 });
  }
}
export type Payment = Awaited<ReturnType<typeof getPayment>>;
