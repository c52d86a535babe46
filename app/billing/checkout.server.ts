import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import { getProfile } from '#contract/accounts';
import type { ResponseOf } from '#contract/call';
import { robotFields } from '#contract/form-tokens';
import type { PlanSlug } from '#contract/plans';
import { createSubscription, getOffer, getSubscription } from '#contract/subscriptions';
import { HOUR_MS } from '#contract/time';
import { getCaptcha } from '~/http/captcha.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { newFormKey, type Scope, type UserScope } from '~/http/scope.server';
import { readFormatters } from './formatters.server';
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
export async function findOffer(scope: Scope, entered?: Known): Promise<Offer> {
  const { submitted, user } = scope;
  const place: Known | undefined = submitted ? Object.fromEntries(submitted) : entered;
  const { country = '', zip_code, professional, vat_number } = place ?? {};
  const body = { place: place && { country, zip_code, professional: professional === 'on', vat_number } };
  return (await callHost(scope, getOffer, { body, token: user?.token })).data;
}

/**
 * Data of the order page: the plan with formatted amounts, and the date of the first charge. 404 for an
 * unknown plan.
 */
export async function checkoutData(scope: Scope, { slug, offer, hasTrial, known }: Shown) {
  const { plan, other } = plansFor(offer, slug);
  scope.isPersonal = true;
  const { money, dateTime } = await readFormatters(scope);
  const { priceCents, vatRatePercent, trialHours, withdrawalDays, refundMinDays, refundMaxDays } = plan;
  const vatCents = Math.round((priceCents * vatRatePercent) / (100 + vatRatePercent));
  const isTrial = hasTrial && trialHours > 0;
  return {
    slug: plan.slug,
    known: known ?? {},
    key: newFormKey(scope),
    price: money(plan.due.priceCents),
    priceCents: plan.due.priceCents,
    hasVat: plan.due.vatPercent > 0,
    net: money(priceCents - vatCents),
    nothing: money(0),
    firstCharge: isTrial ? dateTime(new Date(Date.now() + trialHours * HOUR_MS)) : null,
    terms: { trialHours, withdrawalDays, refundMinDays, refundMaxDays },
    hasMoneyBack: offer.account?.moneyBackAvailable ?? true,
    features: plan.features,
    other: { slug: other.slug, price: money(other.due.priceCents) },
    captcha: await getCaptcha(scope),
  };
}
export type CheckoutData = Awaited<ReturnType<typeof checkoutData>>;

/** A second order by the same person has no trial: the mail about it links to the page with `?trial=no`. */
export function offersTrial({ url }: Scope): boolean {
  return url.searchParams.get('trial') !== 'no';
}

/** Whether an order on this page would start with a trial. */
export function hasTrial(scope: Scope, { account }: Offer): boolean {
  return offersTrial(scope) && (account?.trialAvailable ?? true);
}

/** Where signed-in users are redirected instead of the public order page. */
export async function pathInstead(scope: UserScope): Promise<string> {
  const { data: found } = await callHost(scope, getSubscription);
  return found.subscription?.status === 'active' ? '/user/subscription' : '/user/dashboard';
}

/** Values prefilled from the account's profile and default billing address. */
export async function knownBuyer(scope: UserScope, { account }: Offer): Promise<Known> {
  const { data: profile } = await callHost(scope, getProfile);
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

/**
 * Places the order and redirects to the card page; a refusal shows the form again with everything typed. The input is
 * also saved for when the buyer comes back. The order starts with a trial if the page offers it and the account, if
 * there is one, may have one.
 */
export async function handleCheckout(scope: Scope, slug: string | undefined) {
  const form = await readForm(scope, [...FIELDS, SWITCH]);
  if (form.has(SWITCH)) return showOtherPlan(scope, form);
  const offer = await findOffer(scope);
  const order = {
    slug: plansFor(offer, slug).plan.slug,
    offer,
    hasTrial: hasTrial(scope, offer),
  };
  const checked = checkForm(scope, form, CheckoutFields);
  if (!checked.ok) return refuse(scope, order, invalid(checked.lastResult), null);
  const placed = await withFormErrors(checked.reject, VISIBLE_FIELDS, () =>
    place(scope, order, checked.value),
  );
  if (typeof placed !== 'string') {
    const codes = Object.values(placed.data.lastResult.error ?? {}).flatMap((found) => found ?? []);
    const differs = codes.length === 1 && codes[0] === 'price_differs';
    return refuse(scope, order, placed, differs ? (checked.value.price_cents ?? null) : null);
  }
  return redirect(placed, { status: 303, headers: await saveOrder(scope, form) });
}

/**
 * `shownCents` is the price that the page showed if nothing but that was refused: a lower one is news, not a mistake.
 * A full page load brings new prices; a script gets only this response, and the typed address may change the price.
 */
async function refuse(
  scope: Scope,
  order: Shown,
  { data: refusal, init }: ReturnType<typeof invalid>,
  shownCents: number | null,
) {
  const isLower = shownCents !== null && plansFor(order.offer, order.slug).plan.due.priceCents < shownCents;
  if (isLower) scope.failed = false;
  const checkout = scope.isDataRequest ? await checkoutData(scope, order) : null;
  const higherPrice = isLower ? (await readFormatters(scope)).money(shownCents) : null;
  return data({ ...refusal, checkout, higherPrice }, init ?? {});
}

/** Places the order; returns the address of the card page. */
async function place(
  scope: Scope,
  { slug, hasTrial }: { slug: PlanSlug; hasTrial: boolean },
  { terms, waiver, trial: shown, ...entered }: z.output<typeof CheckoutFields>,
): Promise<string> {
  const { locale, user, visitor } = scope;
  const body = {
    ...entered,
    ...(user && { email: user.email }),
    slug,
    // The host refuses an order without them.
    terms: terms as true,
    waiver: waiver as true,
    // For a signed-in buyer, the host refuses a trial that the page showed but is no longer available.
    trial: user && shown ? shown === 'yes' : hasTrial,
    draft: visitor.draft,
    visitor: visitor.key,
    locale,
  };
  return (await callHost(scope, createSubscription, { body, token: user?.token })).data.redirectUrl;
}

/** Redirects, so that going back later does not prompt to resubmit the form. */
async function showOtherPlan(scope: Scope, form: FormData) {
  const { pathname, search } = scope.url;
  const headers = await saveOrder(scope, form, { consents: true });
  return redirect(pathname + search, { status: 303, headers });
}

/** The plan with this slug, and the other one. */
function plansFor({ plans }: Offer, slug: string | undefined) {
  const plan = plans.find((one) => one.slug === slug);
  const other = plans.find((one) => one.slug !== slug);
  if (!plan || !other) throw data(null, { status: 404 });
  return { plan, other };
}
