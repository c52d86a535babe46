import type { Locale } from '#contract/locales';
import type { Router } from './mount';

/** A card as stored by the provider. `fingerprint` is the same for the same card, whoever enters it. */
export interface SavedCard {
  methodId: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  fingerprint: string;
}

export interface SetupRequest {
  /** The same key always opens the same page. */
  key: string;
  /** A customer that the provider already knows. */
  customerId: string | null;
  email: string;
  name: string;
  locale: Locale;
  /** What will be charged, and when; null for at once. */
  amountCents: number;
  firstChargeAt: Date | null;
  /** Where the visitor is sent after saving the card, or after giving up. */
  successUrl: string;
  cancelUrl: string;
}

/** A hosted page that saves a card. It stays `open` through declines, until a card is accepted or the page expires. */
export interface Setup {
  id: string;
  state: 'open' | 'succeeded' | 'expired';
  customerId: string;
  card: SavedCard | null;
}

export interface ChargeRequest {
  /** Identifies the business act: the same key never charges twice. */
  key: string;
  customerId: string;
  methodId: string;
  amountCents: number;
  description: string;
}

export interface Charge {
  id: string;
  key: string;
  /** `pending` while the bank processes it, `open` while it waits for the customer to confirm it. */
  state: 'succeeded' | 'pending' | 'open' | 'failed';
  /** The provider's code for the reason, such as `insufficient_funds` or `authentication_required`. */
  failure: string | null;
}

export interface Refund {
  /** Empty if the provider refused it. */
  id: string;
  chargeId: string;
  amountCents: number;
  state: 'pending' | 'succeeded' | 'failed';
}

/**
 * Which object a webhook says has changed. Its state is then fetched, so order and repetition do not matter. For a
 * dispute, `objectId` is the charge.
 */
export interface ProviderEvent {
  id: string;
  type: string;
  object: 'setup' | 'charge' | 'refund' | 'customer' | 'dispute';
  objectId: string;
}

/**
 * What the product needs of a payment provider: a hosted page that saves a card, charges and refunds by key, a portal
 * to change the card, and webhooks. Plans, periods, retries and invoices are our own, so that every provider behaves
 * the same. Amounts are whole euro cents. Methods reject if the provider cannot be reached: the outcome is then
 * unknown, and the same call may be repeated.
 */
export interface PaymentProvider {
  name: 'sandbox' | 'stripe';
  openSetup(request: SetupRequest): Promise<{ setupId: string; customerId: string; url: string }>;
  getSetup(setupId: string): Promise<Setup>;
  /** Charges without the customer being present. A decline is a result, not an error. */
  charge(request: ChargeRequest): Promise<Charge>;
  getCharge(chargeId: string): Promise<Charge>;
  /** For a charge whose response was lost, however long ago. */
  findCharge(customerId: string, key: string): Promise<Charge | null>;
  /** The same key refunds only once. A refusal is a result, not an error. */
  refund(request: { key: string; chargeId: string; amountCents: number }): Promise<Refund>;
  getRefund(refundId: string): Promise<Refund>;
  /** The card that is currently charged. */
  findCard(customerId: string): Promise<SavedCard | null>;
  /** Makes a card of the customer the one that `findCard` and the portal show; one that is already gone is fine. */
  preferCard(customerId: string, methodId: string): Promise<void>;
  /** The address for the provider's receipts; a customer that is already gone is fine. */
  changeEmail(customerId: string, email: string): Promise<void>;
  openPortal(request: { customerId: string; locale: Locale; returnUrl: string }): Promise<string>;
  /** Makes the provider forget the customer's cards; a customer that is already gone is fine. */
  forgetCustomer(customerId: string): Promise<void>;
  /** The event in a webhook; null for an irrelevant one. Throws `WebhookRefused` unless the signature is valid. */
  readEvent(rawBody: string, header: (name: string) => string | undefined): Promise<ProviderEvent | null>;
  /** Serves the provider's own pages, if this host is the provider. */
  attach?(router: Router): void;
  /** Sends the provider's events that are due by `now`, if this host is the provider. */
  deliver?(now: Date): Promise<void>;
  /** When the next webhook falls due, at most `until`. */
  nextDelivery?(until: Date): Promise<Date | null>;
}

/** A webhook whose signature, time or format is invalid. */
export class WebhookRefused extends Error {
  constructor(reason: string) {
    super(`webhook refused: ${reason}`);
    this.name = 'WebhookRefused';
  }
}
