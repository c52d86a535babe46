import { HOUR_SECONDS } from '#contract/time';
import { hourly, type RateLimit } from '#host/http/rate-limit';

export const ORDERS_PER_IP = hourly('order-ip', 100);
export const ORDERS_PER_EMAIL = hourly('order-email', 10);
/**
 * Mails to the owner of an address that others order with. Kept apart from the limit of mailed links, as a refused link
 * would otherwise reveal to strangers that the address is known.
 */
export const REFUSED_ORDERS_PER_EMAIL = hourly('order-refused', 3);
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
export const MAILED_LINKS_PER_IP = hourly('owner-link', 120);
export const STATUS_PER_IP = hourly('order-status', 600);
/** Mails requested from the page of an order: confirmations sent again and corrected addresses. */
export const MAILS_PER_ORDER = hourly('order-mail', 3);
export const ORDER_MAILS_PER_EMAIL = hourly('order-mail-email', 5);
export const PORTAL_PER_ACCOUNT = hourly('portal', 60);
export const DECLARATIONS_PER_IP = hourly('declaration-ip', 60);
export const DECLARATIONS_PER_EMAIL = hourly('declaration-email', 5);
