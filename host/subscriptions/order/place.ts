import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { hasAdvertisement, LINE_DIGITS } from '#contract/advertised-addresses';
import type { createSubscription } from '#contract/subscriptions';
import { emailKey } from '#host/accounts/account-limits';
import { findAccount, findAccountByEmail } from '#host/accounts/store';
import { randomReadableText } from '#host/codes/code/slugs';
import { findDraft, hashVisitor } from '#host/codes/drafts/store';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { type Buyer, type VatCheck, vatOf } from '#host/invoices/tax';
import { checkVatNumber } from '#host/invoices/vat-check';
import { enqueueJob } from '#host/jobs/queue';
import { findMethod } from '#host/payments/store';
import { priceAt } from '#host/plans/plans';
import { mailTo } from '#host/subscriptions/billing-mails';
import { addHours } from '#host/subscriptions/calendar';
import { findSubscription, isLive } from '#host/subscriptions/contract/store';
import { REFUSED_ORDERS_PER_EMAIL } from '#host/subscriptions/limits';
import { isInUse } from './held';
import { changeOrder, type OrderRow, putOrder } from './store';
import { termsVersion, waiverVersion } from './terms';
import { hadTrial } from './trials';

/** Where a plan is ordered: without signing in, which leads signed-in users elsewhere, and from an account. */
const ORDER_PATH = '/subscribe';
const ACCOUNT_ORDER_PATH = '/user/subscription/order';

type Checkout = z.output<typeof createSubscription.body>;

interface OrderRequest {
  body: Checkout;
  caller: Caller | null;
  /** IP address of the client, kept with the consents. */
  clientIp: string;
  /** Whether the same form was sent before. */
  isRepeated: boolean;
}

/**
 * Places an order and opens the provider's page. The same key gives the same order. An order that cannot be carried
 * out because of another person's e-mail (a running subscription, a second trial) gets the same response as any other:
 * the owner of that address is notified by mail, and the order is refused once a card is entered.
 */
export async function placeOrder(
  deps: Deps,
  { body, caller, clientIp, isRepeated }: OrderRequest,
  now: Date,
): Promise<OrderRow> {
  const { orm } = deps.db;
  const account = caller ? await findAccount(orm, caller.accountId) : null;
  const email = account?.email ?? body.email;
  const known = account ?? (await findAccountByEmail(orm, email));
  const subscription = known && (await findSubscription(orm, known.id));
  if (account && isLive(subscription)) throw new ApiError('conflict');
  const trialHours = body.trial === false ? 0 : deps.settings.plans.trialHours;
  const hadTrialBefore = await hadTrial(orm, { email, accountId: known?.id ?? null });
  const failure = isLive(subscription)
    ? 'already_running'
    : trialHours > 0 && hadTrialBefore && !account
      ? 'trial_used'
      : null;
  const buyer = buyerOf(body);
  // Some company names look like web addresses. Unless the buyer is signed in, they must not be mailed to anyone.
  if (!account && hasAdvertisement(buyer.company, LINE_DIGITS))
    throw invalidField('company', 'company_address');
  const { priceCents } = priceAt(deps.settings.plans, body.slug, buyer);
  if ((body.price_cents ?? priceCents) !== priceCents) throw invalidField('price_cents', 'price_differs');
  // A signed-in buyer saw on the page whether there is a trial: if it promised one, do not charge at once.
  if (account && body.trial && (hadTrialBefore || trialHours === 0))
    throw invalidField('trial', 'trial_differs');
  const vatCheck = isRepeated ? null : await requireVatNumber(deps, buyer, now);
  const { draft, visitor } = body;
  const isOwnDraft = draft && visitor && (await findDraft(orm, draft, visitor, now));
  const order = await orm.transaction(async (transaction) => {
    const placed = await putOrder(transaction, {
      id: randomUUID(),
      paymentIntent: `pi_${Buffer.from(deps.random(24)).toString('base64url')}`,
      reference: makeReference(deps.random),
      status: 'incomplete',
      failure,
      formKey: orderKeyOf(body) ?? randomUUID(),
      email,
      accountId: account?.id ?? null,
      buyer: { ...buyer, ...(vatCheck && { vatCheck }) },
      locale: body.locale,
      plan: body.slug,
      priceCents,
      trialHours: account && hadTrialBefore ? 0 : trialHours,
      draftId: isOwnDraft ? draft : null,
      visitorHash: visitor ? hashVisitor(visitor) : null,
      termsVersion: termsVersion(deps.settings),
      waiverVersion: waiverVersion(),
      consentIp: clientIp,
      createdAt: now,
    });
    const expiry = {
      kind: 'order_expiry' as const,
      subject: placed.id,
      dedupeKey: `order-expiry:${placed.id}`,
    };
    await enqueueJob(transaction, { ...expiry, dueAt: addHours(placed.createdAt, 25) });
    if (placed.failure) await notifyOwner(transaction, deps, placed, now);
    return placed;
  });
  return order.setupUrl ? order : openCardPage(deps, order, now);
}

/** Whoever owes the VAT instead of the seller needs a number that the register knows, or at least does not deny. */
async function requireVatNumber(deps: Deps, buyer: Buyer, now: Date): Promise<VatCheck | null> {
  if (vatOf(buyer).tax !== 'reverse_charge') return null;
  const check = await checkVatNumber(deps, buyer.vatNumber, now);
  if (check.result === 'invalid') throw invalidField('vat_number', 'vat_number_unknown');
  return check;
}

/** Asks the provider for the card page; the same order gets the same page. */
async function openCardPage(deps: Deps, order: OrderRow, now: Date): Promise<OrderRow> {
  const { orm } = deps.db;
  const { publicUrl } = deps.settings;
  const method = order.accountId ? await findMethod(orm, order.accountId) : null;
  const opened = await deps.payments
    .openSetup({
      key: order.id,
      customerId: method?.customerId ?? null,
      email: order.email,
      name: order.buyer.name,
      locale: order.locale,
      amountCents: order.priceCents,
      firstChargeAt: order.trialHours > 0 ? addHours(now, order.trialHours) : null,
      successUrl: `${publicUrl}/payment-success?payment_intent=${order.paymentIntent}`,
      cancelUrl: `${publicUrl}${orderPagePath(order, deps.settings.plans)}`,
    })
    .catch((error: unknown) => {
      deps.log.error({ err: error, order: order.id }, 'the payment page could not be opened');
      throw new ApiError('unavailable');
    });
  const page = { setupId: opened.setupId, customerId: opened.customerId, setupUrl: opened.url };
  await changeOrder(orm, order.id, page);
  return { ...order, ...page };
}

/** Tells the owner of an address by mail, and not too often, why an order with it was refused. */
export async function notifyOwner(
  orm: Deps['db']['orm'],
  { settings }: Pick<Deps, 'settings'>,
  order: OrderRow,
  now: Date,
): Promise<void> {
  if (!(await tryConsumeRateLimit(orm, REFUSED_ORDERS_PER_EMAIL, emailKey(order.email), now))) return;
  const isTrial = order.failure === 'trial_used';
  const known = await findAccountByEmail(orm, order.email);
  const orderPath = known && (await isInUse(orm, known)) ? ACCOUNT_ORDER_PATH : ORDER_PATH;
  const path = isTrial ? `${orderPath}/${order.plan}?trial=no` : '/login';
  const actionUrl = `${settings.publicUrl}${path}`;
  const template = isTrial ? ('billing-mail.trial_used' as const) : ('billing-mail.order_known' as const);
  const mail = { template, values: () => ({ actionUrl }), dedupeKey: `order-refused:${order.id}` };
  await mailTo(orm, order, mail, now);
}

/** The order page that the buyer came from. */
function orderPagePath({ accountId, plan, trialHours }: OrderRow, plans: Deps['settings']['plans']): string {
  const orderPath = accountId ? ACCOUNT_ORDER_PATH : ORDER_PATH;
  return `${orderPath}/${plan}${trialHours < plans.trialHours ? '?trial=no' : ''}`;
}

/**
 * Identifies an order by its form and content: the same form sent again is the same order, while one corrected after
 * returning from the card page is a new one. Undefined for a form without a key.
 */
export function orderKeyOf(body: Checkout): string | undefined {
  const { key, slug, trial, locale, price_cents } = body;
  return key === undefined ? undefined : formKeyOf(key, [slug, trial, locale, price_cents, buyerOf(body)]);
}

/** Private persons have no company: what they typed there is not kept. */
function buyerOf(body: Checkout): Buyer {
  const { professional } = body;
  return {
    name: body.name,
    company: professional ? body.company : '',
    street: body.address,
    postalCode: body.zip_code,
    city: body.city,
    country: body.country,
    professional,
    siret: professional ? body.siret : '',
    vatNumber: professional ? body.vat_number : '',
  };
}

/** Ten characters that are easy to read out on the phone. */
function makeReference(random: (bytes: number) => Uint8Array): string {
  const text = randomReadableText(random, 10);
  return `Q-${text.slice(0, 5)}-${text.slice(5)}`;
}
