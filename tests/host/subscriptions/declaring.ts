import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { declarations } from '#host/db/subscriptions.tables';
import type { TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { type Bought, billingMail, onboard, subscriptionOf } from '../../support/ordering';

type What = 'cancel' | 'withdraw' | 'money-back';

/** Declares with only the name and the e-mail address of a customer, plus `fields`. */
export async function declare(
  shop: TestHost,
  what: What,
  { body, email }: Bought,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<void> {
  const declared = { name: body.name, email, confirmed: true, ...fields };
  const answered = await send(shop, 'POST', `/api/contract/${what}`, declared, { token });
  expect(answered.status).toBe(200);
  await shop.runBilling();
}

export async function statusAfter(shop: TestHost, bought: Bought): Promise<string> {
  const { status, cancelAtPeriodEnd } = await subscriptionOf(shop, bought.accountId);
  return cancelAtPeriodEnd ? 'cancelled' : status;
}

export async function mailOf(shop: TestHost, bought: { email: string }, template: string): Promise<string> {
  return (await billingMail(shop, bought, template)).text;
}

/** The token of the newest link about a declaration. */
export async function declarationLink(shop: TestHost, { email }: Bought): Promise<string> {
  const links = (await shop.mails()).flatMap(({ to, text }) =>
    to === email ? (/declaration\?token=([\w-]{43})/.exec(text ?? '')?.[1] ?? []) : [],
  );
  return links[0] ?? '';
}

export async function linkOf(shop: TestHost, bought: Bought) {
  const token = await declarationLink(shop, bought);
  const ask = (path: string, body: object = {}) =>
    send(shop, 'POST', `/api/contract/declaration${path}`, { token, ...body });
  return {
    token,
    read: async () => (await ask('')).body.data as { state: string; kind: string; effectiveAt: string },
    decide: async (decision: string) =>
      ((await ask('/decision', { decision })).body.data as { state: string }).state,
  };
}

export const outcomesOf = async (shop: TestHost, bought: Bought) =>
  (
    await shop.db.orm
      .select()
      .from(declarations)
      .where(eq(declarations.email, bought.email))
      .orderBy(declarations.receivedAt)
  ).map(({ outcome, proof }) => [outcome, proof]);

/** Sets up the account with a new link, as the newest mails are about declarations. */
export async function ownerOf(shop: TestHost, { email }: Bought): Promise<string> {
  await send(shop, 'POST', '/api/account/onboarding/resend', { email });
  return onboard(shop, email);
}
