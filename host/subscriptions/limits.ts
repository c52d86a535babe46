import { HOUR_SECONDS } from '#contract/time';
import type { RateLimit } from '#host/http/rate-limit';

export const ORDERS_PER_IP: RateLimit = { name: 'order-ip', points: 100, windowSeconds: HOUR_SECONDS };
export const ORDERS_PER_EMAIL: RateLimit = { name: 'order-email', points: 10, windowSeconds: HOUR_SECONDS };
/**
 * Mails to the owner of an address that others order with. Kept apart from the limit of mailed links, as a refused link
 * would otherwise reveal to strangers that the address is known.
 */
export const REFUSED_ORDERS_PER_EMAIL: RateLimit = {
  name: 'order-refused',
  points: 3,
  windowSeconds: HOUR_SECONDS,
};
/**
 * Mails about declarations without proof. Beyond the limit a declaration waits, and has no effect before its owner is
 * told.
 */
export const OWNER_MAILS_PER_CONTRACT: RateLimit = {
  name: 'owner-mail',
  points: 6,
  windowSeconds: 24 * HOUR_SECONDS,
};
/** Requests to view or decide what a mailed link is about. */
export const MAILED_LINKS_PER_IP: RateLimit = {
  name: 'owner-link',
  points: 120,
  windowSeconds: HOUR_SECONDS,
};
export const STATUS_PER_IP: RateLimit = { name: 'order-status', points: 600, windowSeconds: HOUR_SECONDS };
/** Mails requested from the page of an order: confirmations sent again and corrected addresses. */
export const MAILS_PER_ORDER: RateLimit = { name: 'order-mail', points: 3, windowSeconds: HOUR_SECONDS };
export const ORDER_MAILS_PER_EMAIL: RateLimit = {
  name: 'order-mail-email',
  points: 5,
  windowSeconds: HOUR_SECONDS,
};
export const PORTAL_PER_ACCOUNT: RateLimit = { name: 'portal', points: 60, windowSeconds: HOUR_SECONDS };
export const DECLARATIONS_PER_IP: RateLimit = {
  name: 'declaration-ip',
  points: 60,
  windowSeconds: HOUR_SECONDS,
};
export const DECLARATIONS_PER_EMAIL: RateLimit = {
  name: 'declaration-email',
  points: 5,
  windowSeconds: HOUR_SECONDS,
};
