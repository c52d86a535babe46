import { createHash } from 'node:crypto';
import { hasLuhn } from '#contract/business-numbers';
import type { CardProblem } from './sandbox-texts';

/** How a test card behaves; with `challenge`, the holder is asked first. */
export interface Behaviour {
  /** Refusal code when the card is saved. */
  setup?: string;
  challenge?: true;
  /** Refusal code of every charge, or of every charge after the first successful one. */
  charge?: string;
  renewal?: string;
  /** Charges are not decided at once: the bank processes them for days, or waits for a holder who never responds. */
  delay?: 'processing' | 'unconfirmed';
  /** Refunds are pending for a day, or are returned a day later. */
  refund?: 'pending' | 'returned';
}

/** Numbers that behave like those of docs.stripe.com/testing; the last four are our own. Any other number works. */
export const TEST_CARDS: Record<string, Behaviour> = {
  '4242424242424242': {},
  '4000000000000002': { setup: 'card_declined' },
  '4000000000009995': { setup: 'insufficient_funds' },
  '4000000000009987': { setup: 'lost_card' },
  '4000000000009979': { setup: 'stolen_card' },
  '4000000000000069': { setup: 'expired_card' },
  '4000000000000127': { setup: 'incorrect_cvc' },
  '4000000000000119': { setup: 'processing_error' },
  '4000000000000341': { charge: 'card_declined' },
  '4000002500003155': { challenge: true },
  '4000000000003220': { challenge: true },
  '4000002760003184': { challenge: true, charge: 'authentication_required' },
  '4000008260003178': { challenge: true, charge: 'insufficient_funds' },
  '4000000000007726': { refund: 'pending' },
  '4000000000005126': { refund: 'returned' },
  '4000000000001018': { renewal: 'card_declined' },
  '4000000000001026': { renewal: 'insufficient_funds' },
  '4000000000001034': { delay: 'processing' },
  '4000000000001042': { delay: 'unconfirmed' },
};

export interface CardForm {
  name: string;
  number: string;
  expiry: string;
  cvc: string;
}

export type CardErrors = Partial<Record<keyof CardForm, CardProblem>>;

export interface EnteredCard {
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  fingerprint: string;
  behaviour: Behaviour;
}

const BRANDS: [RegExp, string][] = [
  [/^3[47]/, 'amex'],
  [/^4/, 'visa'],
  [/^(?:5[1-5]|2[2-7])/, 'mastercard'],
];

/** Validates what was typed on the card page. */
export function readCard(form: CardForm, now: Date): { card: EnteredCard } | { errors: CardErrors } {
  const number = form.number.replace(/[\s-]/g, '');
  const brand = BRANDS.find(([prefix]) => prefix.test(number))?.[1] ?? 'card';
  const expiry = readExpiry(form.expiry);
  const errors: CardErrors = {
    ...(form.name.trim() ? {} : { name: 'name_required' }),
    ...numberError(number),
    ...expiryError(form.expiry, expiry, now),
    ...cvcError(form.cvc.trim(), brand),
  };
  if (!expiry || Object.keys(errors).length > 0) return { errors };
  return {
    card: {
      brand,
      last4: number.slice(-4),
      ...expiry,
      fingerprint: fingerprintOf(form.name, number, expiry),
      behaviour: TEST_CARDS[number] ?? {},
    },
  };
}

/** A card is valid until the end of its month. */
export function isExpired({ expMonth, expYear }: { expMonth: number; expYear: number }, now: Date): boolean {
  return Date.UTC(expYear, expMonth, 1) <= now.getTime();
}

/** Everybody types the same test numbers, so cards are also told apart by the holder's name. */
function fingerprintOf(name: string, number: string, expiry: { expMonth: number; expYear: number }): string {
  const holder = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');
  return createHash('sha256')
    .update(`${holder}|${number}|${expiry.expMonth}/${expiry.expYear}`)
    .digest('hex')
    .slice(0, 24);
}

function readExpiry(entered: string): { expMonth: number; expYear: number } | null {
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*[/.\- ]?\s*(\d{4}|\d{2})\s*$/.exec(entered) ?? [];
  const expMonth = Number(month);
  if (expMonth < 1 || expMonth > 12) return null;
  return { expMonth, expYear: Number(year.length === 2 ? `20${year}` : year) };
}

function numberError(number: string): CardErrors {
  if (number === '') return { number: 'number_required' };
  const isNumber = /^\d{12,19}$/.test(number) && hasLuhn(number);
  return isNumber ? {} : { number: 'number_wrong' };
}

function expiryError(entered: string, expiry: ReturnType<typeof readExpiry>, now: Date): CardErrors {
  if (entered.trim() === '') return { expiry: 'expiry_required' };
  if (!expiry) return { expiry: 'expiry_wrong' };
  return isExpired(expiry, now) ? { expiry: 'expired' } : {};
}

function cvcError(cvc: string, brand: string): CardErrors {
  if (cvc === '') return { cvc: 'cvc_required' };
  const digits = brand === 'amex' ? 4 : 3;
  return new RegExp(`^\\d{${digits}}$`).test(cvc) ? {} : { cvc: digits === 4 ? 'cvc_four' : 'cvc_three' };
}
