import { z } from 'zod';
import type { LegalIdentity, PlanSettings } from '#contract/plans';

/** Shown as it is until it is set: a legal page that names nobody must say so. */
const unset = (what: string) => z.string().default(`(${what} not yet set)`);

/** Settings about who runs the service; printed on the legal pages. */
export const identitySettings = {
  SELLER_NAME: z.string().default("Quadrille (seller's name not yet set)"),
  /** Legal form and capital. */
  SELLER_FORM: unset('legal form'),
  SELLER_ADDRESS: unset('address'),
  SELLER_REGISTER: unset('registration'),
  SELLER_VAT: unset('VAT number'),
  SELLER_DIRECTOR: unset('director of publication'),
  SELLER_PHONE: unset('telephone number'),
  HOSTING_NAME: unset('hosting provider'),
  HOSTING_ADDRESS: unset('address of the hosting provider'),
  MEDIATOR_NAME: unset('consumer mediator'),
  MEDIATOR_URL: unset("mediator's website"),
};

type IdentityEnv = { [K in keyof typeof identitySettings]: string };

interface PlanEnv {
  PRICE_MONTHLY_CENTS: number;
  TRIAL_HOURS: number;
  WITHDRAWAL_DAYS: number;
  REFUND_MIN_DAYS: number;
  REFUND_MAX_DAYS: number;
  OBJECTION_HOURS: number;
}

export function identityOf(env: IdentityEnv): LegalIdentity {
  return {
    seller: {
      name: env.SELLER_NAME,
      form: env.SELLER_FORM,
      address: env.SELLER_ADDRESS,
      register: env.SELLER_REGISTER,
      vat: env.SELLER_VAT,
      director: env.SELLER_DIRECTOR,
      phone: env.SELLER_PHONE,
    },
    hosting: { name: env.HOSTING_NAME, address: env.HOSTING_ADDRESS },
    mediator: { name: env.MEDIATOR_NAME, url: env.MEDIATOR_URL },
  };
}

export function planSettingsOf(env: PlanEnv): PlanSettings {
  return {
    priceMonthlyCents: env.PRICE_MONTHLY_CENTS,
    trialHours: env.TRIAL_HOURS,
    withdrawalDays: env.WITHDRAWAL_DAYS,
    refundMinDays: env.REFUND_MIN_DAYS,
    refundMaxDays: env.REFUND_MAX_DAYS,
    objectionHours: env.OBJECTION_HOURS,
  };
}
