import { eq } from 'drizzle-orm';
import { findAccountByEmail } from '#host/accounts/store';
import { subscriptions } from '#host/db/subscriptions.tables';
import { findOrderByIntent } from '#host/subscriptions/order/store';
import type { TestHost } from './host';
import { mailedToken, send } from './json-calls';

const CARDS = {
  good: '4242424242424242',
  declined: '4000000000000002',
  poor: '4000000000009995',
  expired: '4000000000000069',
  challenge: '4000000000003220',
  neverAgain: '4000000000000341',
  onlyOnce: '4000000000001018',
  alwaysAsks: '4000002760003184',
  processing: '4000000000001034',
  unconfirmed: '4000000000001042',
} as const;
export type CardKind = keyof typeof CARDS;

let orders = 0;

/** A valid checkout body; every call returns another buyer. */
export function checkout(fields: Record<string, unknown> = {}) {
  orders += 1;
  return {
    slug: 'basic_monthly',
    name: `Buyer ${letters(orders)}`,
    email: `buyer-${orders}@shop.example`,
    address: '1 rue du Papier',
    zip_code: '75011',
    city: 'Paris',
    country: 'FR',
    terms: true,
    waiver: true,
    locale: 'gb',
    key: `order-key-${orders}`,
    ...fields,
  };
}

/** A number as letters, because the sandbox distinguishes cards by the letters of their holder's name. */
function letters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

export interface Placed {
  redirectUrl: string;
  paymentIntent: string;
}

export async function placeOrder(host: TestHost, body: object, token?: string): Promise<Placed> {
  const response = await send(host, 'POST', '/api/subscriptions', body, { token });
  if (response.status !== 201) throw new Error(`order refused: ${JSON.stringify(response.body)}`);
  return response.body.data as Placed;
}

/** Submits the sandbox's card page and returns its response. */
export async function enterCard(
  host: Pick<TestHost, 'request'>,
  redirectUrl: string,
  card: CardKind | (string & {}) = 'good',
  name = 'Some Holder',
) {
  const path = new URL(redirectUrl).pathname;
  const number = card in CARDS ? CARDS[card as CardKind] : card;
  return host.request(path, {
    method: 'POST',
    body: new URLSearchParams({ name, number, expiry: '12/34', cvc: '123' }),
  });
}

/** Replaces the card of a signed-in customer, through the payment provider's portal. */
export async function replaceCard(host: TestHost, token: string, card: CardKind): Promise<void> {
  const portal = await send(host, 'POST', '/api/account/billing-portal', {}, { token });
  await enterCard(host, (portal.body.data as { url: string }).url, card);
}

export async function statusOf(host: TestHost, paymentIntent: string) {
  const path = '/api/transactions/check_pi_status';
  const response = await send(host, 'POST', path, { payment_intent_id: paymentIntent });
  return response.body.data as { state: string; failure: string | null; email: string; reference: string };
}

/** Orders and pays, signed in if a token is given; returns the order and its account. */
export async function buy(
  host: TestHost,
  fields: Record<string, unknown> = {},
  card: CardKind = 'good',
  token?: string,
) {
  const body = checkout(fields);
  const placed = await placeOrder(host, body, token);
  const response = await enterCard(host, placed.redirectUrl, card, body.name);
  if (response.headers.get('location')?.endsWith('/challenge')) {
    await host.request(`${new URL(placed.redirectUrl).pathname}/challenge`, {
      method: 'POST',
      body: new URLSearchParams({ answer: 'confirm' }),
    });
  }
  const account = await findAccountByEmail(host.db.orm, body.email);
  const order = await findOrderByIntent(host.db.orm, placed.paymentIntent);
  if (!account || !order) throw new Error('the order made no account');
  const { reference } = order;
  return { body, placed, reference, email: body.email, accountId: account.id };
}

export type Bought = Awaited<ReturnType<typeof buy>>;

export async function subscriptionOf(host: TestHost, accountId: string) {
  const [row] = await host.db.orm.select().from(subscriptions).where(eq(subscriptions.accountId, accountId));
  if (!row) throw new Error('no subscription');
  return row;
}

/** Completes onboarding with the mailed link; returns the session token. */
export async function onboard(host: TestHost, email: string): Promise<string> {
  const response = await send(host, 'POST', '/api/account/onboarding', {
    token: await mailedToken(host, email),
    firstName: 'Ada',
    lastName: 'Byron',
    password: 'three quiet lamps over water',
    confirmPassword: 'three quiet lamps over water',
  });
  return String(response.body.token);
}

/** Signs in again, as tokens do not survive large moves of the clock. */
export async function signIn(host: TestHost, email: string): Promise<string> {
  const body = { email, password: 'three quiet lamps over water', remember: true };
  return String((await send(host, 'POST', '/api/login_check', body)).body.token);
}

/** Advances the clock through the sandbox, which stops at everything that falls due on the way. */
export async function advance(host: TestHost, by: string): Promise<void> {
  const response = await send(host, 'POST', '/sandbox/clock', { advance: by }, {});
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
}

export interface View {
  status: string;
  plan: string;
  next: { code: string; at: string; amountCents: number } | null;
  switch: { plan: string; at: string; amountCents: number; pending: boolean } | null;
  cancelAtPeriodEnd: boolean;
  accessUntil: string;
  running: boolean;
  nextRenewal: string | null;
  withdrawUntil: string | null;
  withdrawReason: string | null;
  withdrawRefundCents: number | null;
  trialEnd: string | null;
  declarations: { id: string; kind: string; receivedAt: string; effectiveAt: string }[];
}

/** The subscription as its owner sees it. */
export async function view(host: TestHost, token: string): Promise<View> {
  const response = await send(host, 'GET', '/api/account/subscriptions', undefined, { token });
  return (response.body.data as { subscription: View }).subscription;
}

export interface Listed {
  status: string;
  amountCents: number;
  refundedCents: number;
  refund: { amountCents: number; from: string; until: string } | null;
  failure: string | null;
  invoice: { path: string } | null;
  creditNote: { path: string } | null;
}

export async function transactions(host: TestHost, token: string): Promise<Listed[]> {
  const response = await send(host, 'GET', '/api/account/transactions', undefined, { token });
  return response.body.data as Listed[];
}

/** Cancels, resumes or switches the subscription. */
export function act(host: TestHost, token: string, what: 'cancel' | 'resume' | 'switch', body?: unknown) {
  return send(host, 'POST', `/api/account/subscription/${what}`, body, { token });
}

/** Template names of the billing mails to a buyer, oldest first, without their common prefix. */
export async function billingMails(host: TestHost, { email }: { email: string }): Promise<string[]> {
  return (await host.mails())
    .filter(({ to, template }) => to === email && template.startsWith('billing-mail'))
    .map(({ template }) => template.replace('billing-mail.', ''))
    .reverse();
}

/** Subject and text, with ordinary spaces, of the newest such mail to a buyer; empty if there is none. */
export async function billingMail(host: TestHost, { email }: { email: string }, template: string) {
  const mail = (await host.mails()).find(
    (kept) => kept.to === email && kept.template === `billing-mail.${template}`,
  );
  const plain = (text: string | null | undefined) => (text ?? '').replace(/[\u00a0\u202f]/g, ' ');
  return { subject: plain(mail?.subject), text: plain(mail?.text) };
}
