import type { Locale } from '#contract/locales';
import type { Router } from '#host/http/mount';

/** A card as the provider keeps it for us. `fingerprint` is the same for the same card, whoever enters it. */
export interface SavedCard {
  methodId: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  fingerprint: string;
}

export interface SetupRequest {
  /** Asking twice with the same key opens one page. */
  key: string;
  /** A customer the provider knows already. */
  customerId: string | null;
  email: string;
  name: string;
  locale: Locale;
  /** What will be charged, and when; null for at once. */
  amountCents: number;
  firstChargeAt: Date | null;
  /** Where the visitor goes with the card saved, or without. */
  successUrl: string;
  cancelUrl: string;
}

/** A hosted page that saves a card. It stays `open` through declines, until a card holds or its time is over. */
export interface Setup {
  id: string;
  state: 'open' | 'succeeded' | 'expired';
  customerId: string;
  card: SavedCard | null;
}

export interface ChargeRequest {
  /** Names the business act: the same key never charges twice. */
  key: string;
  customerId: string;
  methodId: string;
  amountCents: number;
  description: string;
}

export interface Charge {
  id: string;
  key: string;
  /** `pending` while the bank works at it, `open` while it waits for the customer to confirm it. */
  state: 'succeeded' | 'pending' | 'open' | 'failed';
  /** The provider's word for why, such as `insufficient_funds` or `authentication_required`. */
  failure: string | null;
}

export interface Refund {
  /** Empty where the provider refused it. */
  id: string;
  chargeId: string;
  amountCents: number;
  state: 'pending' | 'succeeded' | 'failed';
}

/**
 * What a webhook says: which object changed. Its content is read anew, so order and repetition do not matter. Of a
 * dispute, `objectId` is the charge.
 */
export interface ProviderEvent {
  id: string;
  type: string;
  object: 'setup' | 'charge' | 'refund' | 'customer' | 'dispute';
  objectId: string;
}

/**
 * What the product needs of a payment provider: a hosted page that saves a card, charges and refunds by key, a portal to
 * change the card, and webhooks. Plans, periods, retries and invoices are our own, so that every provider behaves the
 * same. Amounts are whole cents of the euro. Methods reject when the provider cannot be reached: nothing is known then,
 * and the same call may be made again.
 */
export interface PaymentProvider {
  name: 'sandbox' | 'stripe';
  openSetup(request: SetupRequest): Promise<{ setupId: string; customerId: string; url: string }>;
  getSetup(setupId: string): Promise<Setup>;
  /** Charges without the customer being there. A decline is an answer, not an error. */
  charge(request: ChargeRequest): Promise<Charge>;
  getCharge(chargeId: string): Promise<Charge>;
  /** For a charge whose answer was lost, however long ago. */
  findCharge(customerId: string, key: string): Promise<Charge | null>;
  /** Asking twice with the same key pays back once. A refusal is an answer, not an error. */
  refund(request: { key: string; chargeId: string; amountCents: number }): Promise<Refund>;
  getRefund(refundId: string): Promise<Refund>;
  /** The card that charges go to now. */
  findCard(customerId: string): Promise<SavedCard | null>;
  /** Makes a card of the customer the one that `findCard` and the portal name. */
  preferCard(customerId: string, methodId: string): Promise<void>;
  /** What receipts of the provider would go to; a customer that is gone already is fine. */
  changeEmail(customerId: string, email: string): Promise<void>;
  openPortal(request: { customerId: string; locale: Locale; returnUrl: string }): Promise<string>;
  /** Forgets the customer's cards; a customer that is gone already is fine. */
  forgetCustomer(customerId: string): Promise<void>;
  /** The event in a webhook; null for one that does not matter. Throws `WebhookRefused` unless the signature holds. */
  readEvent(rawBody: string, header: (name: string) => string | undefined): Promise<ProviderEvent | null>;
  /** Serves the provider's own pages, where this host is the provider. */
  attach?(router: Router): void;
  /** Sends what the provider has to tell by `now`, where this host is the provider. */
  deliver?(now: Date): Promise<void>;
  /** When the next webhook falls due, at most `until`. */
  nextDelivery?(until: Date): Promise<Date | null>;
}

/** A webhook whose signature, time or form does not hold. */
export class WebhookRefused extends Error {
  constructor(reason: string) {
    super(`webhook refused: ${reason}`);
    this.name = 'WebhookRefused';
  }
}
