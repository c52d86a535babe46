import { DAY_MS } from '#contract/time';
import type { createApp } from '#host/app';
import type { Deps } from '#host/http/deps';
import { advanceTo } from './payment-sandbox/clock';
import { openSession } from './sign-in/open-session';

/** Test cards of the sandbox, by behaviour. */
const CARDS = {
  good: '4242424242424242',
  neverCharged: '4000000000000341',
  declinedLater: '4000000000001018',
  poorLater: '4000000000001026',
  processing: '4000000000001034',
  unconfirmed: '4000000000001042',
};

const BUYER = {
  name: 'Ada Byron',
  address: '12 rue des Carreaux',
  zip_code: '75011',
  city: 'Paris',
  country: 'FR',
  terms: true,
  waiver: true,
  locale: 'gb',
};

interface Shop {
  deps: Deps;
  app: ReturnType<typeof createApp>;
  account: { id: string; email: string; roles: string[] };
}

/**
 * Creates a purchase history with a transaction in every status, through the calls that a browser makes, with the clock
 * set to the time of each. The clock ends at `now`; `whenMonthly` runs during the first days of the monthly contract.
 */
export async function purchaseSamplePlans(
  shop: Shop,
  now: Date,
  whenMonthly: () => Promise<void>,
): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const at = (days: number) => advanceTo(shop.deps, daysAgo(days));
  // A trial, a first payment, and a renewal that failed with all retries.
  await order(shop, 'basic_monthly', CARDS.poorLater, true);
  await at(270);
  // An order that the bank declined.
  await order(shop, 'basic_monthly', CARDS.neverCharged);
  // Paid once; the next charge failed, and the contract was cancelled before a retry.
  await order(shop, 'basic_monthly', CARDS.declinedLater);
  await at(238);
  await call(shop, '/api/account/subscription/cancel');
  await at(230);
  // Refunded, as promised for the first payment.
  await order(shop, 'basic_yearly', CARDS.good);
  await at(226);
  const declared = { name: BUYER.name, email: shop.account.email, confirmed: true, locale: BUYER.locale };
  await call(shop, '/api/contract/money-back', declared);
  await at(94);
  // Three months, cancelled in the third.
  await order(shop, 'basic_monthly', CARDS.good);
  await at(90);
  await whenMonthly();
  await at(20);
  await call(shop, '/api/account/subscription/cancel');
  await at(26 / 24);
  // Two undecided charges, then the current plan.
  await order(shop, 'basic_yearly', CARDS.unconfirmed);
  await order(shop, 'basic_yearly', CARDS.processing);
  await order(shop, 'basic_yearly', CARDS.good);
  await at(0);
}

/** Orders a plan signed in, and enters a card on the sandbox's page. */
async function order(shop: Shop, slug: string, number: string, trial = false): Promise<void> {
  const { redirectUrl } = await call(shop, '/api/subscriptions', {
    ...BUYER,
    slug,
    trial,
    email: shop.account.email,
  });
  const card = new URLSearchParams({ name: BUYER.name, number, expiry: '12/34', cvc: '123' });
  const paid = await shop.app.request(new URL(redirectUrl ?? '').pathname, { method: 'POST', body: card });
  if (paid.status !== 303) throw new Error(`the card page answered ${paid.status}`);
}

async function call(shop: Shop, path: string, body: object = {}): Promise<Record<string, string>> {
  const token = await openSession(shop.deps, shop.account, { remember: false, userAgent: '' });
  const response = await shop.app.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()).data ?? {};
}
