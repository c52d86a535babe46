import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import type { Setup, SetupRequest } from '#host/http/payment-provider';
import type { EnteredCard } from './cards';
import { emit } from './events';
import {
  changeObject,
  createObject,
  getObject,
  lockObject,
  type Random,
  type SandboxObject,
} from './objects';
import { presentCard } from './sandbox-charges';

const SETUP_TTL_MS = DAY_MS;

/** Opens a card page, once per key, for a new or a known customer. */
export async function openSetup(
  orm: Orm,
  random: Random,
  request: SetupRequest,
  now: Date,
): Promise<SandboxObject<'setup'>> {
  const { key, customerId: known, email, name, locale, amountCents, successUrl, cancelUrl } = request;
  return orm.transaction(async (transaction) => {
    const newCustomer = { key, data: { email, name, methodId: null } };
    const { id: customerId } = known
      ? await getObject(transaction, 'customer', known)
      : await createObject(transaction, random, 'customer', newCustomer, now);
    const data = {
      ...({ status: 'open', methodId: null, card: null } as const),
      name,
      locale,
      amountCents,
      successUrl,
      cancelUrl,
      firstChargeAt: request.firstChargeAt?.toISOString() ?? null,
      expiresAt: new Date(now.getTime() + SETUP_TTL_MS).toISOString(),
    };
    return createObject(transaction, random, 'setup', { key, customerId, data }, now);
  });
}

export async function presentSetup(orm: Orm, setup: SandboxObject<'setup'>, now: Date): Promise<Setup> {
  const { id, customerId, data } = setup;
  const card = data.methodId ? presentCard(await getObject(orm, 'method', data.methodId)) : null;
  const state = card ? 'succeeded' : hasEnded(setup, now) ? 'expired' : 'open';
  return { id, state, customerId, card };
}

export function hasEnded({ data }: SandboxObject<'setup'>, now: Date): boolean {
  return data.status !== 'succeeded' && Date.parse(data.expiresAt) <= now.getTime();
}

/** Saves a card as the customer's and reports the change. */
export async function saveCard(
  orm: Orm,
  random: Random,
  customerId: string,
  card: EnteredCard,
  now: Date,
): Promise<string> {
  const method = await createObject(orm, random, 'method', { customerId, data: card }, now);
  const customer = await lockObject(orm, 'customer', customerId);
  await changeObject(orm, customer, { methodId: method.id });
  return method.id;
}

/** Makes a card wait for its holder's confirmation. */
export async function holdCard(orm: Orm, setup: SandboxObject<'setup'>, card: EnteredCard): Promise<void> {
  await changeObject(orm, setup, { status: 'challenge', card });
}

/** Completes the card page with a card; of two racing posts the second finds it completed. */
export async function finishSetup(
  orm: Orm,
  random: Random,
  setupId: string,
  card: EnteredCard,
  now: Date,
): Promise<void> {
  await orm.transaction(async (transaction) => {
    const setup = await lockObject(transaction, 'setup', setupId);
    if (setup.data.status === 'succeeded' || hasEnded(setup, now)) return;
    const methodId = await saveCard(transaction, random, setup.customerId, card, now);
    await changeObject(transaction, setup, { status: 'succeeded', methodId, card: null });
    await emit(transaction, random, 'setup.succeeded', setupId, now);
  });
}
