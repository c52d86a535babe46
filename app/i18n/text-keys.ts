import type account from '../../locales/gb/account.json';
import type authorize from '../../locales/gb/authorize.json';
import type billing from '../../locales/gb/billing.json';
import type codes from '../../locales/gb/codes.json';
import type common from '../../locales/gb/common.json';
import type consent from '../../locales/gb/consent.json';
import type contact from '../../locales/gb/contact.json';
import type dashboard from '../../locales/gb/dashboard.json';
import type design from '../../locales/gb/design.json';
import type developers from '../../locales/gb/developers.json';
import type files from '../../locales/gb/files.json';
import type home from '../../locales/gb/home.json';
import type look from '../../locales/gb/look.json';
import type pricing from '../../locales/gb/pricing.json';
import type routing from '../../locales/gb/routing.json';
import type settings from '../../locales/gb/settings.json';
import type statistics from '../../locales/gb/statistics.json';
import type webhooks from '../../locales/gb/webhooks.json';

/** Texts whose keys are passed as values; typing every call of `t` would be too slow to compile. */
interface Texts {
  account: typeof account;
  authorize: typeof authorize;
  billing: typeof billing;
  codes: typeof codes;
  common: typeof common;
  consent: typeof consent;
  contact: typeof contact;
  dashboard: typeof dashboard;
  developers: typeof developers;
  design: typeof design;
  files: typeof files;
  home: typeof home;
  look: typeof look;
  pricing: typeof pricing;
  routing: typeof routing;
  settings: typeof settings;
  statistics: typeof statistics;
  webhooks: typeof webhooks;
}
type Namespace = keyof Texts;

type At<T, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof T
    ? At<T[Name], Rest>
    : never
  : Path extends keyof T
    ? T[Path]
    : never;

/** Names of the texts below a path: `TextName<'common', 'notices'>` is `'session_expired' | …`. */
export type TextName<N extends Namespace, Path extends string> = keyof At<Texts[N], Path> & string;

type TitledPath<T, Path extends string = ''> =
  | (T extends { title: string } ? Path : never)
  | {
      [Name in keyof T & string]: T[Name] extends string | readonly unknown[]
        ? never
        : TitledPath<T[Name], Path extends '' ? Name : `${Path}.${Name}`>;
    }[keyof T & string];

/** Key of the texts of a page: `namespace:` or `namespace:key` of texts with a title. */
export type PageKey = { [N in Namespace]: `${N}:${TitledPath<Texts[N]>}` }[Namespace];

/** Key of the title among the texts of a page. */
export type TitleKey<Key extends PageKey = PageKey> = Key extends `${string}:`
  ? `${Key}title`
  : `${Key}.title`;

/** A message code and the value for its text, as in `login_wait:30`. */
export function splitCode(full: string): [code: string, value: string | undefined] {
  const [, code = full, value] = /^([^:]*):(.*)$/s.exec(full) ?? [];
  return [code, value];
}

/** Name of a message that is shown once. */
export type NoticeKey = TextName<'common', 'notices'>;
