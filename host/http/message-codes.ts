import type account from '../../locales/gb/account.json';
import type billing from '../../locales/gb/billing.json';
import type common from '../../locales/gb/common.json';
import type contact from '../../locales/gb/contact.json';
import type design from '../../locales/gb/design.json';
import type settings from '../../locales/gb/settings.json';
import type statistics from '../../locales/gb/statistics.json';

/** Only for programs: the clock of the payment sandbox has no form. */
type Unworded = 'advance_invalid' | 'advance_too_long';

/** Why a field is refused; each code that people may see has a text. */
export type MessageCode =
  | keyof typeof account.errors
  | keyof typeof billing.errors
  | keyof typeof common.errors.codes
  | keyof typeof common.notices
  | keyof typeof contact.errors
  | keyof typeof design.errors
  | keyof typeof settings.errors
  | keyof typeof statistics.errors
  | Unworded;
