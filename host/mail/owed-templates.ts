import type { BillingTemplate } from './texts';

/**
 * Mails that must be sent even after the account was deleted: confirmations, invoices, and the receipts and results of
 * declarations (consumer code L221-13, L221-21, D215-1). Other mails announce what will no longer happen, or ask.
 */
const IS_OWED: Record<BillingTemplate, boolean> = {
  'billing-mail.order_confirmed': true,
  'billing-mail.order_paid': true,
  'billing-mail.order_known': false,
  'billing-mail.order_held_trial': false,
  'billing-mail.order_held': false,
  'billing-mail.order_moved': false,
  'billing-mail.order_address_taken': false,
  'billing-mail.trial_used': false,
  'billing-mail.trial_reminder': false,
  'billing-mail.receipt': true,
  'billing-mail.charge_failed': false,
  'billing-mail.charge_given_up': true,
  'billing-mail.canceled': true,
  'billing-mail.contract_ended': true,
  'billing-mail.already_ended': true,
  'billing-mail.resumed': false,
  'billing-mail.switched': false,
  'billing-mail.cancel_received': true,
  'billing-mail.withdraw_received': true,
  'billing-mail.money_back_received': true,
  'billing-mail.declaration_unmatched': true,
  'billing-mail.declaration_waiting': false,
  'billing-mail.declaration_undone': false,
  'billing-mail.withdrawn_free': true,
  'billing-mail.withdrawn': true,
  'billing-mail.withdraw_late': true,
  'billing-mail.money_back_free': true,
  'billing-mail.money_back_granted': true,
  'billing-mail.money_back_late': true,
  'billing-mail.refunded': true,
  'billing-mail.renewal_notice': false,
  'billing-mail.renewal_notice_switch': false,
};

export const OWED_TEMPLATES = Object.entries(IS_OWED).flatMap(([template, isOwed]) =>
  isOwed ? template : [],
);
