import { z } from 'zod';
import { call, dataOf } from './call';

export const PlanSlug = z.enum(['basic_monthly', 'basic_yearly']);
export type PlanSlug = z.infer<typeof PlanSlug>;

/**
 * Set by the owner of the service: trial and objection period in hours, withdrawal period in calendar days, time to
 * refund in business days.
 */
export const PlanSettings = z.object({
  priceMonthlyCents: z.int().min(1),
  trialHours: z.int().min(0),
  withdrawalDays: z.int().min(0),
  refundMinDays: z.int().min(0),
  refundMaxDays: z.int().min(0),
  objectionHours: z.int().min(0),
});
export type PlanSettings = z.infer<typeof PlanSettings>;

/** Money is in whole cents. Names and descriptions are English; the website translates them by slug. */
export const Plan = PlanSettings.omit({ priceMonthlyCents: true }).extend({
  slug: PlanSlug,
  name: z.string(),
  description: z.string(),
  interval: z.enum(['month', 'year']),
  /** What one interval costs, VAT included. */
  priceCents: z.int().min(1),
  currency: z.literal('EUR'),
  vatIncluded: z.literal(true),
  vatRatePercent: z.int(),
  /** Compared with twelve monthly payments. */
  discountPercent: z.int(),
  monthlyEquivalentCents: z.int(),
  features: z.array(z.enum(['unlimited', 'customise', 'statistics', 'redirects', 'support'])),
});
export type Plan = z.infer<typeof Plan>;

/** Who runs the service, as the law requires (French law 2004-575, article 1-1; consumer code L616-1). */
export const LegalIdentity = z.object({
  seller: z.object({
    name: z.string(),
    /** Legal form and capital. */
    form: z.string(),
    address: z.string(),
    register: z.string(),
    vat: z.string(),
    director: z.string(),
    phone: z.string(),
  }),
  hosting: z.object({ name: z.string(), address: z.string() }),
  mediator: z.object({ name: z.string(), url: z.string() }),
});
export type LegalIdentity = z.infer<typeof LegalIdentity>;

export const listPlans = call({
  name: 'listPlans',
  method: 'GET',
  path: '/api/plans',
  summary: 'The plans, monthly first',
  access: 'public',
  response: dataOf(z.array(Plan)),
  errors: [],
});

export const getPlan = call({
  name: 'getPlan',
  method: 'GET',
  path: '/api/plans/{slug}',
  summary: 'One plan',
  access: 'public',
  params: z.object({ slug: PlanSlug }),
  response: dataOf(Plan),
  errors: ['not_found'],
});

export const getSite = call({
  name: 'getSite',
  method: 'GET',
  path: '/api/site',
  summary: 'Name, contact, seller and terms of the service, for its legal pages',
  access: 'public',
  response: dataOf(
    PlanSettings.extend({ ...LegalIdentity.shape, appName: z.string(), contactEmail: z.string() }),
  ),
  errors: [],
});
