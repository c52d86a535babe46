import { randomUUID } from 'node:crypto';
import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import { listAddresses } from '#contract/addresses';
import { robotFields } from '#contract/form-tokens';
import { listPlans, type Plan } from '#contract/plans';
import { createSubscription, getOrderPrice, getSubscription } from '#contract/subscriptions';
import { getCaptcha } from '~/http/captcha.server';
import { isDataRequest } from '~/http/data-request.server';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import type { Session } from '~/http/session.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import { getLocale } from '~/i18n/locale.server';
import { readZone } from '~/i18n/time-zone.server';
import { formattersFor } from './formatters.server';
import { saveOrder } from './saved-order.server';

const HOUR_MS = 3_600_000;
const text = z.string().default('');
const box = z.boolean().default(false);

/** Shapes only: what is allowed is the host's to say, so that all its refusals come at once. */
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
  price_cents: z.coerce.number().int().optional().catch(undefined),
  key: z.string().max(100, 'malformed').optional(),
  ...robotFields,
});
const FIELDS = Object.keys(CheckoutFields.shape);
/** A sum that differs is no mistake of any field. */
const VISIBLE_FIELDS = FIELDS.filter((name) => name !== 'price_cents');

/** Sent by the button that leads to the other plan. */
const SWITCH = 'switch';

type Known = Partial<Record<keyof z.infer<typeof CheckoutFields>, string>>;

interface Offer {
  slug: string | undefined;
  hasTrial: boolean;
  /** What is known of the buyer, before anything is typed. */
  known?: Known | undefined;
}

/**
 * What the order page needs: the plan with its sums in words, as they are at the address typed or known, and when it
 * would be charged first. 404 for no plan.
 */
export async function checkoutData(requestContext: RequestContext, { slug, hasTrial, known }: Offer) {
  const [{ plan, other }, locale] = await Promise.all([
    findPlans(requestContext, slug),
    getLocale(requestContext.request),
  ]);
  const scope = scopeOf(requestContext);
  scope.isPersonal = true;
  const { submitted } = scope;
  const place: Known = submitted ? Object.fromEntries(submitted) : (known ?? {});
  const [price, otherPrice] = await Promise.all([
    priceAt(requestContext, plan, place),
    priceAt(requestContext, other, place),
  ]);
  const { money, moment } = formattersFor(locale, readZone(requestContext.request, locale));
  const { priceCents, vatRatePercent, trialHours, withdrawalDays, refundMinDays, refundMaxDays } = plan;
  const vatCents = Math.round((priceCents * vatRatePercent) / (100 + vatRatePercent));
  const isTrial = hasTrial && trialHours > 0;
  return {
    slug: plan.slug,
    known: known ?? {},
    key: randomUUID(),
    price: money(price.priceCents),
    priceCents: price.priceCents,
    hasVat: price.vatPercent > 0,
    net: money(priceCents - vatCents),
    nothing: money(0),
    firstCharge: isTrial ? moment(new Date(Date.now() + trialHours * HOUR_MS)) : null,
    terms: { trialHours, withdrawalDays, refundMinDays, refundMaxDays },
    features: plan.features,
    other: { slug: other.slug, price: money(otherPrice.priceCents) },
    captcha: await getCaptcha(requestContext),
  };
}
export type CheckoutData = Awaited<ReturnType<typeof checkoutData>>;

/** What one period of a plan costs there; the price with VAT while the address says too little. */
async function priceAt(
  requestContext: RequestContext,
  { slug, priceCents, vatRatePercent }: Plan,
  place: Known,
) {
  const usual = { priceCents, vatPercent: vatRatePercent };
  if (!place.country) return usual;
  const { country, zip_code, professional, vat_number } = place;
  const body = { slug, country, zip_code, professional: professional === 'on', vat_number };
  try {
    return (await callHost(requestContext, getOrderPrice, { body })).data;
  } catch (thrown) {
    if (thrown instanceof HostError) return usual;
    throw thrown;
  }
}

/** Path that somebody signed in is led to instead of the public order page. */
export async function pathInstead(requestContext: RequestContext, { token }: Session): Promise<string> {
  const { data: found } = await callHost(requestContext, getSubscription, { token });
  return found.subscription?.status === 'active' ? '/user/subscription' : '/user/dashboard';
}

/** What the profile and the default billing address of an account fill in already. */
export async function knownBuyer(requestContext: RequestContext, token: string): Promise<Known> {
  const [{ data: profile }, { data: addresses }] = await Promise.all([
    callHost(requestContext, getProfile, { token }),
    callHost(requestContext, listAddresses, { token }),
  ]);
  const name = `${profile.firstName} ${profile.lastName}`.trim();
  const [address] = addresses;
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
  /** Whether a trial comes first; asked once the form was read. */
  findTrial: () => boolean | Promise<boolean>;
  /** Key of this browser, and the design it kept. */
  visitor: { key: string; draft?: string | undefined };
  session?: Session;
}

/**
 * Places the order and leads on to where the card is entered; a refusal shows the form again with everything typed.
 * What was typed is also kept for whoever comes back.
 */
export async function handleCheckout(
  requestContext: RequestContext,
  { slug, findTrial, visitor, session }: Ordering,
) {
  const form = await readForm(requestContext, [...FIELDS, SWITCH]);
  if (form.has(SWITCH)) return showOtherPlan(requestContext, form, session);
  const [{ plan }, hasTrial] = await Promise.all([findPlans(requestContext, slug), findTrial()]);
  const checked = checkForm(requestContext, form, CheckoutFields);
  /** A document brings its price along; a script asks for this answer alone, and the address typed may change it. */
  const refuse = async ({ data: answer, init }: ReturnType<typeof invalid>) => {
    const checkout = isDataRequest(requestContext.request)
      ? await checkoutData(requestContext, { slug, hasTrial })
      : null;
    return data({ ...answer, checkout }, init ?? {});
  };
  if (!checked.ok) return refuse(invalid(checked.lastResult));
  const { terms, waiver, ...typed } = checked.value;
  const body = {
    ...typed,
    ...(session && { email: session.email }),
    slug: plan.slug,
    // The host refuses an order without them.
    terms: terms as true,
    waiver: waiver as true,
    trial: hasTrial,
    draft: visitor.draft,
    visitor: visitor.key,
    locale: await getLocale(requestContext.request),
  };
  const placed = await withFormErrors(checked.reject, VISIBLE_FIELDS, async () => {
    const answer = await callHost(requestContext, createSubscription, {
      body,
      ...(session && { token: session.token }),
    });
    return answer.data.redirectUrl;
  });
  if (typeof placed !== 'string') return refuse(placed);
  return redirect(placed, { status: 303, headers: await saveOrder(form, { session }) });
}

/** A page of its own, so that Back from what follows asks nobody to send a form again. */
async function showOtherPlan({ request }: RequestContext, form: FormData, session: Session | undefined) {
  const { pathname, search } = new URL(request.url);
  return redirect(pathname + search, {
    status: 303,
    headers: await saveOrder(form, { session, consents: true }),
  });
}

/** The plan of this name, and the other one. */
async function findPlans(requestContext: RequestContext, slug: string | undefined) {
  const { data: plans } = await callHost(requestContext, listPlans, {});
  const plan = plans.find((one) => one.slug === slug);
  const other = plans.find((one) => one.slug !== slug);
  if (!plan || !other) throw data(null, { status: 404 });
  return { plan, other };
}
