import { expect, test } from 'vitest';
import type { z } from 'zod';
import { changePassword, deleteAccount, updateProfile } from '#contract/accounts';
import { createAddress, updateAddress } from '#contract/addresses';
import type { Call } from '#contract/call';
import { createCode, updateCode } from '#contract/codes';
import { cancelContract, withdrawContract } from '#contract/contract-end';
import {
  confirmEmail,
  forgotPassword,
  onboard,
  resendEmailChange,
  resendOnboarding,
  resetPassword,
} from '#contract/recovery';
import { googleLogIn, logIn } from '#contract/sessions';
import { getStatistics } from '#contract/statistics';
import { createSubscription } from '#contract/subscriptions';
import { createTicket } from '#contract/tickets';
import { readTexts } from './support/locale-keys';

const PLACE = { street: '1 rue du Papier', city: 'Paris', country: 'FR', professional: true };
const ORDER = {
  slug: 'basic_monthly',
  address: PLACE.street,
  city: 'Paris',
  country: 'FR',
  professional: true,
};
const ADDRESSES = [
  { ...PLACE, postal_code: '', company_name: '', siret_number: '1', vat_number: 'FR1' },
  {
    ...PLACE,
    postal_code: '1',
    company_name: 'A',
    siret_number: '73282932000074',
    vat_number: 'DE136695976',
  },
  { ...PLACE, postal_code: '75011', siret_number: '73282932000074', vat_number: 'FR40303265045' },
];
const ORDERS = [
  { ...ORDER, zip_code: '', siret: '1', vat_number: 'FR1' },
  { ...ORDER, zip_code: '1', company: 'A', siret: '73282932000074', vat_number: 'DE136695976' },
  { ...ORDER, zip_code: '75011', siret: '73282932000074', vat_number: 'FR40303265045' },
];
const PERIODS = [
  { from: '2026-03-02', to: '2026-03-01' },
  { from: '2020-03-02', to: '2026-03-01' },
  { from: '2019-03-02', to: '2026-03-01' },
  { from: '2026-03-02' },
];

/** Calls with a form, the text namespace of its page, and bodies with errors that span several fields. */
const FORMS: [call: Call, texts: string, joined?: object[]][] = [
  [logIn, 'account'],
  [googleLogIn, 'notices'],
  [onboard, 'account'],
  [resendOnboarding, 'account'],
  [forgotPassword, 'account'],
  [resetPassword, 'account'],
  [confirmEmail, 'account'],
  [resendEmailChange, 'account'],
  [updateProfile, 'account'],
  [changePassword, 'account'],
  [deleteAccount, 'account'],
  [createAddress, 'settings', ADDRESSES],
  [updateAddress, 'settings', ADDRESSES],
  [createCode, 'design'],
  [updateCode, 'design'],
  [createSubscription, 'billing', ORDERS],
  [cancelContract, 'billing'],
  [withdrawContract, 'billing'],
  [createTicket, 'contact'],
  [getStatistics, 'statistics', PERIODS],
];

/** Checkboxes and fields that no page has, which only a hand-made POST can get wrong. */
const UNASKED = [
  'professional',
  'is_default',
  'locale',
  'draft',
  'visitor',
  'key',
  'slug',
  'nonce',
  'price_cents',
  'devices',
];

const BAD = [undefined, '', ' ', 'x', '\u0001', '\ud800', '<', 'x'.repeat(30_000)];

const common = readTexts('gb', 'common');

test.each(FORMS.map(([call, texts, joined]) => [call.name, call, texts, joined ?? []] as const))(
  'each error code of %s has a message on its page',
  (_, call, texts, joined) => {
    const page = texts === 'notices' ? new Map() : readTexts('gb', texts);
    const isWorded = (code: string) =>
      page.has(`errors.${code}`) || common.has(`errors.codes.${code}`) || common.has(`${texts}.${code}`);
    const codes = codesOf((call.body ?? call.form) as z.ZodObject, joined);
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => !isWorded(code))).toEqual([]);
  },
);

function codesOf(schema: z.ZodObject, joined: object[]): string[] {
  const fields = Object.keys(schema.shape).filter((field) => !UNASKED.includes(field));
  const inputs = fields.flatMap((field) => BAD.map((bad) => ({ [field]: bad })));
  const issues = [...inputs, ...joined].flatMap((input) => schema.safeParse(input).error?.issues ?? []);
  const shown = issues.filter(({ path }) => !UNASKED.includes(String(path[0])));
  // The host replaces messages of the validation library with `invalid`.
  return [...new Set(shown.map(({ message }) => (/^[a-z0-9_]+$/.test(message) ? message : 'invalid')))];
}
