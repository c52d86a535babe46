import { z } from 'zod';
import { EmailField, lineField, requiredLineField } from './account-fields';
import { COUNTRIES } from './addresses';
import { hasAdvertisement, LINE_DIGITS, NAME_DIGITS } from './advertised-addresses';
import { isSameBusiness, isSiret, normalizeNumber, vatProblem } from './business-numbers';
import { crossFieldRules } from './cross-field-rules';
import { PlanSlug } from './plans';
import { postalCodeProblem } from './postal-codes';

const countries = new Set(COUNTRIES);

/** A line repeated in the confirmation, which goes to an unconfirmed e-mail address. */
function repeatedLine(name: string, max: number, digits = LINE_DIGITS) {
  return requiredLineField(name, max).refine((line) => !hasAdvertisement(line, digits), `${name}_invalid`);
}

/** What the rules across fields look at. */
const RuleFields = z.object({
  country: z.string().catch(''),
  zip_code: z.string(),
  professional: z.boolean(),
  company: z.string(),
  siret: z.string(),
  vat_number: z.string(),
});
type RuleFields = z.infer<typeof RuleFields>;
const rule = crossFieldRules(RuleFields);

/** Fields of the checkout page. `terms` and `waiver` must be true: `terms_required`, `waiver_required`. */
export const CheckoutForm = z
  .object({
    slug: PlanSlug,
    name: repeatedLine('name', 200, NAME_DIGITS),
    email: EmailField,
    address: repeatedLine('address', 200),
    /** As typed; its format depends on the country. */
    zip_code: lineField('zip_code', 12).default(''),
    city: repeatedLine('city', 100),
    /** ISO 3166-1 alpha-2. */
    country: z
      .string('country_required')
      .trim()
      .toUpperCase()
      .refine((code) => countries.has(code), {
        error: ({ input }) => (input === '' ? 'country_required' : 'country_unknown'),
      }),
    professional: z.boolean('professional_invalid').default(false),
    /** Required for professionals; dropped for everyone else, like the numbers. */
    company: lineField('company', 200).default(''),
    siret: lineField('siret', 30).overwrite(normalizeNumber).default(''),
    /** EU numbers only, with the country prefix. */
    vat_number: lineField('vat_number', 30)
      .overwrite((entered) => normalizeNumber(entered).replace(/^GR/, 'EL'))
      .default(''),
    terms: z.literal(true, 'terms_required'),
    waiver: z.literal(true, 'waiver_required'),
  })
  .refine(...rule('zip_code', zipProblem))
  .refine(
    ...rule('company', ({ professional, company }) => (professional && !company ? 'company_required' : null)),
  )
  .refine(...rule('siret', siretProblem))
  .refine(...rule('vat_number', vatNumberProblem));
export type CheckoutForm = z.infer<typeof CheckoutForm>;

function zipProblem({ country, zip_code }: RuleFields): string | null {
  // There is no format to check against, and the country's own field reports the error.
  if (country !== '' && !countries.has(country)) return null;
  return postalCodeProblem(country, zip_code)?.replace('postal_code', 'zip_code') ?? null;
}

function siretProblem({ professional, siret }: RuleFields): string | null {
  return professional && siret && !isSiret(siret) ? 'siret_invalid' : null;
}

function vatNumberProblem({ professional, country, vat_number, siret }: RuleFields): string | null {
  if (!professional || !vat_number || !countries.has(country)) return null;
  const problem = vatProblem(country, vat_number);
  if (problem) return problem;
  return isSiret(siret) && !isSameBusiness(vat_number, siret) ? 'vat_number_siret_differ' : null;
}
