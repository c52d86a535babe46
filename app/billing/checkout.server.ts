import { randomUUID } from 'node:crypto';
import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import type { ResponseOf } from '#contract/call';
import { robotFields } from '#contract/form-tokens';
import { createSubscription, getOffer, getSubscription } from '#contract/subscriptions';
import { HOUR_MS } from '#contract/time';
import { getCaptcha } from '~/http/captcha.server';
import { isDataRequest } from '~/http/data-request.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import type { Session } from '~/http/session.server';
import { readZone } from '~/http/time-zone.server';
import { getLocale } from '~/i18n/locale.server';
import { formattersFor } from './formatters.server';
import { saveOrder } from './saved-order.server';

const text = z.string().default('');
const box = z.boolean().default(false);

/** Checks only types: the host decides what is allowed and reports all errors at once. */
const CheckoutFields = z.object({
  name: text,
  email: text,
  address: text,
  zip_code: text,
  city: text,
  country: text,
  professional: box,
  company: text,
  siret: text,
  vat_number: text,
  terms: box,
  waiver: box,
  trial: z.enum(['yes', 'no']).optional().catch(undefined),
  price_cents: z.coerce.number().int().optional().catch(undefined),
  key: z.string().max(100, 'malformed').optional(),
  ...robotFields,
});
const FIELDS = Object.keys(CheckoutFields.shape);
/** A different amount or trial is not the error of a visible field. */
const VISIBLE_FIELDS = FIELDS.filter((name) => name !== 'price_cents' && name !== 'trial');

/** Name of the button that switches to the other plan. */
const SWITCH = 'switch';

type Known = Partial<Record<keyof z.infer<typeof CheckoutFields>, string>>;
type Offer = ResponseOf<typeof getOffer>['data'];

interface Shown {
  slug: string | undefined;
  offer: Offer;
  hasTrial: boolean;
  /** Values to prefill. */
  known?: Known | undefined;
}

/** The plans with their prices for the address typed now or earlier, else for the account's address. */
export async function findOffer(
  requestContext: RequestContext,
  { typed, token }: { typed?: Known | undefined; token?: string | undefined } = {},
): Promise<Offer> {
  const { submitted } = scopeOf(requestContext);
  const place: Known | undefined = submitted ? Object.fromEntries(submitted) : typed;
  const { country = '', zip_code, professional, vat_number } = place ?? {};
  const body = { place: place && { country, zip_code, professional: professional === 'on', vat_number } };
  return (await callHost(requestContext, getOffer, { body, ...(token && { token }) })).data;
}

/**
 * Data of the order page: the plan with formatted amounts, and the date of the first charge. 404 for an
 * unknown plan.
 */
export async function checkoutData(requestContext: RequestContext, { slug, offer, hasTrial, known }: Shown) {
  const { plan, other } = plansFor(offer, slug);
  const locale = await getLocale(requestContext.request);
  scopeOf(requestContext).isPersonal = true;
  const { money, dateTime } = formattersFor(locale, await readZone(requestContext, locale));
  const { priceCents, vatRatePercent, trialHours, withdrawalDays, refundMinDays, refundMaxDays } = plan;
  const vatCents = Math.round((priceCents * vatRatePercent) / (100 + vatRatePercent));
  const isTrial = hasTrial && trialHours > 0;
  return {
    slug: plan.slug,
    known: known ?? {},
    key: randomUUID(),
    price: money(plan.due.priceCents),
    priceCents: plan.due.priceCents,
    hasVat: plan.due.vatPercent > 0,
    net: money(priceCents - vatCents),
    nothing: money(0),
    firstCharge: isTrial ? dateTime(new Date(Date.now() + trialHours * HOUR_MS)) : null,
    terms: { trialHours, withdrawalDays, refundMinDays, refundMaxDays },
    features: plan.features,
    other: { slug: other.slug, price: money(other.due.priceCents) },
    captcha: await getCaptcha(requestContext),
  };
}
export type CheckoutData = Awaited<ReturnType<typeof checkoutData>>;

/** Where signed-in users are redirected instead of the public order page. */
export async function pathInstead(requestContext: RequestContext, { token }: Session): Promise<string> {
  const { data: found } = await callHost(requestContext, getSubscription, { token });
  return found.subscription?.status === 'active' ? '/user/subscription' : '/user/dashboard';
}

/** Values prefilled from the account's profile and default billing address. */
export async function knownBuyer(
  requestContext: RequestContext,
  token: string,
  { account }: Offer,
): Promise<Known> {
  const { data: profile } = await callHost(requestContext, getProfile, { token });
  const name = `${profile.firstName} ${profile.lastName}`.trim();
  const address = account?.address;
  if (!address) return { name };
  return {
    name,
    address: address.street,
    zip_code: address.postal_code,
    city: address.city,
    country: address.country,
    professional: address.professional ? 'on' : '',
    company: address.company_name,
    siret: address.siret_number,
    vat_number: address.vat_number,
  };
}

interface Ordering {
  slug: string | undefined;
  /** Whether the order starts with a trial; read from the account if there is one. */
  hasTrial?: boolean;
  /** Key of this browser, and its latest draft. */
  visitor: { key: string; draft?: string | undefined };
  session?: Session;
}

/**
 * Places the order and redirects to the card page; a refusal shows the form again with everything typed. The input is
 * also saved for when the buyer comes back.
 */
export async function handleCheckout(
  requestContext: RequestContext,
  { slug, visitor, session, ...ordering }: Ordering,
) {
  const form = await readForm(requestContext, [...FIELDS, SWITCH]);
  if (form.has(SWITCH)) return showOtherPlan(requestContext, form, session);
  const offer = await findOffer(requestContext, { token: session?.token });
  const { plan } = plansFor(offer, slug);
  const hasTrial = offer.account?.trialAvailable ?? ordering.hasTrial ?? false;
  const checked = checkForm(requestContext, form, CheckoutFields);
  /**
   * A full page load brings new prices; a script gets only this response, and the typed address may change
   * the price.
   */
  const refuse = async ({ data: refusal, init }: ReturnType<typeof invalid>) => {
    const checkout = isDataRequest(requestContext.request)
      ? await checkoutData(requestContext, { slug, offer, hasTrial })
      : null;
    return data({ ...refusal, checkout }, init ?? {});
  };
  if (!checked.ok) return refuse(invalid(checked.lastResult));
  const { terms, waiver, trial: shown, ...typed } = checked.value;
  const body = {
    ...typed,
    ...(session && { email: session.email }),
    slug: plan.slug,
    // The host refuses an order without them.
    terms: terms as true,
    waiver: waiver as true,
    // For a signed-in buyer, the host refuses a trial that the page showed but is no longer available.
    trial: session && shown ? shown === 'yes' : hasTrial,
    draft: visitor.draft,
    visitor: visitor.key,
    locale: await getLocale(requestContext.request),
  };
  const placed = await withFormErrors(checked.reject, VISIBLE_FIELDS, async () => {
    const response = await callHost(requestContext, createSubscription, {
      body,
      ...(session && { token: session.token }),
    });
    return response.data.redirectUrl;
  });
  if (typeof placed !== 'string') return refuse(placed);
  return redirect(placed, { status: 303, headers: await saveOrder(form, { session }) });
}

/** Redirects, so that going back later does not prompt to resubmit the form. */
async function showOtherPlan({ request }: RequestContext, form: FormData, session: Session | undefined) {
  const { pathname, search } = new URL(request.url);
  return redirect(pathname + search, {
    status: 303,
    headers: await saveOrder(form, { session, consents: true }),
  });
}

/** The plan with this slug, and the other one. */
function plansFor({ plans }: Offer, slug: string | undefined) {
  const plan = plans.find((one) => one.slug === slug);
  const other = plans.find((one) => one.slug !== slug);
  if (!plan || !other) throw data(null, { status: 404 });
  return { plan, other };
}
