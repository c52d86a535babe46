import { z } from 'zod';
import { lineField, requiredLineField } from './account-fields';
import { isSameBusiness, isSiret, isVatNumber, normalizeNumber, vatProblem } from './business-numbers';
import { call, Done, dataOf, FormKey, Id } from './call';
import { crossFieldRules } from './cross-field-rules';
import { postalCodeProblem } from './postal-codes';

/**
 * ISO 3166-1 alpha-2: the 249 officially assigned codes, and XK for Kosovo, which has a post of its own and no other
 * code. Names come from `Intl.DisplayNames`.
 */
export const COUNTRIES: readonly string[] = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`
  .trim()
  .split(/\s+/);

const countries = new Set(COUNTRIES);
const COUNTRY_FORMAT = /^[A-Za-z]{2}$/;

/** What the rules across fields look at. An unknown country does not prevent any of them. */
const RuleFields = z.object({
  country: z.string().catch(''),
  postal_code: z.string(),
  professional: z.boolean(),
  company_name: z.string(),
  vat_number: z.string(),
  siret_number: z.string(),
});
type RuleFields = z.infer<typeof RuleFields>;
const rule = crossFieldRules(RuleFields);

/** What the address pages edit; `GET /api/validation/billing-address` describes it. */
export const AddressForm = z
  .object({
    street: requiredLineField('street', 200),
    city: requiredLineField('city', 100),
    state_region: lineField('state_region', 100).default(''),
    /** As typed; its format depends on the country. */
    postal_code: lineField('postal_code', 12).default(''),
    /** ISO 3166-1 alpha-2. */
    country: z
      .string('country_required')
      .trim()
      .toUpperCase()
      .regex(COUNTRY_FORMAT, {
        error: ({ input }) => (input === '' ? 'country_required' : 'country_unknown'),
      })
      // Without `abort`, which would skip the rules across fields.
      .refine((code) => !COUNTRY_FORMAT.test(code) || countries.has(code), 'country_unknown'),
    professional: z.boolean('professional_invalid').default(false),
    /** Required for professionals; dropped for everyone else, like the numbers. */
    company_name: lineField('company_name', 200).default(''),
    /** EU numbers only, with the country prefix. */
    vat_number: lineField('vat_number', 30).overwrite(normalizeVat).default(''),
    siret_number: lineField('siret_number', 30).overwrite(normalizeNumber).default(''),
    is_default: z.boolean('is_default_invalid').default(false),
  })
  .refine(...rule('postal_code', ({ country, postal_code }) => postalCodeProblem(country, postal_code)))
  .refine(...rule('company_name', companyProblem))
  .refine(...rule('siret_number', siretProblem))
  .refine(...rule('vat_number', vatNumberProblem));
export type AddressForm = z.infer<typeof AddressForm>;

function companyProblem({ professional, company_name }: RuleFields): string | null {
  return professional && !company_name ? 'company_name_required' : null;
}

function siretProblem({ professional, siret_number }: RuleFields): string | null {
  return professional && siret_number && !isSiret(siret_number) ? 'siret_number_invalid' : null;
}

function vatNumberProblem({ professional, country, vat_number, siret_number }: RuleFields): string | null {
  if (!professional || !vat_number) return null;
  const problem = countries.has(country) ? vatProblem(country, vat_number) : formatProblem(vat_number);
  if (problem) return problem;
  return isSiret(siret_number) && !isSameBusiness(vat_number, siret_number)
    ? 'vat_number_siret_differ'
    : null;
}

/** Checks of a number that do not need its country. */
function formatProblem(vat_number: string): string | null {
  return isVatNumber(vat_number) ? null : 'vat_number_invalid';
}

/** Greece uses the prefix EL although its country code is GR. */
function normalizeVat(entered: string): string {
  return normalizeNumber(entered).replace(/^GR/, 'EL');
}

export const Address = z.object({
  id: Id,
  street: z.string(),
  city: z.string(),
  state_region: z.string(),
  postal_code: z.string(),
  country: z.string(),
  professional: z.boolean(),
  company_name: z.string(),
  vat_number: z.string(),
  siret_number: z.string(),
  is_default: z.boolean(),
});
export type Address = z.infer<typeof Address>;

const params = z.object({ id: Id });

export const listAddresses = call({
  name: 'listAddresses',
  method: 'GET',
  path: '/api/account/billing-addresses',
  summary: 'Billing addresses, the default one first',
  access: 'user',
  response: dataOf(z.array(Address)),
  errors: ['unauthenticated'],
});

/**
 * The first address becomes the default; the same `key` adds one address only. At most 50 addresses: `conflict` beyond.
 */
export const createAddress = call({
  name: 'createAddress',
  method: 'POST',
  path: '/api/account/billing-addresses',
  summary: 'Add a billing address',
  access: 'user',
  body: AddressForm.safeExtend({ key: FormKey.optional() }),
  response: dataOf(Address),
  status: 201,
  errors: ['unauthenticated', 'invalid', 'conflict'],
});

/** The default address stays the default until another one takes over. */
export const updateAddress = call({
  name: 'updateAddress',
  method: 'PUT',
  path: '/api/account/billing-addresses/{id}',
  summary: 'Change a billing address; past invoices keep theirs',
  access: 'user',
  params,
  body: AddressForm,
  response: dataOf(Address),
  errors: ['unauthenticated', 'not_found', 'invalid'],
});

/** Deleting the default makes the newest other address the default. */
export const deleteAddress = call({
  name: 'deleteAddress',
  method: 'DELETE',
  path: '/api/account/billing-addresses/{id}',
  summary: 'Delete a billing address',
  access: 'user',
  params,
  response: Done,
  errors: ['unauthenticated', 'not_found'],
});
