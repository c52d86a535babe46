import { z } from 'zod';
import {
  ConfirmPasswordField,
  EmailField,
  FirstNameField,
  LastNameField,
  NewPasswordField,
  OptionalPasswordField,
  PublicNameField,
  passwordText,
} from './account-fields';
import {
  CardRecord,
  DeclarationRecord,
  KnownDeviceRecord,
  MailRecord,
  OrderRecord,
  PaymentRecord,
  SecondFactorRecord,
  TicketRecord,
} from './account-records';
import { Address } from './addresses';
import { ApiKey } from './api-keys';
import { call, dataOf, doneAs, Id, IsoDateTime, LocaleCode } from './call';
import { CodeChange } from './code-changes';
import { Code } from './codes';
import { Activity } from './dashboard';
import { DraftFields } from './drafts';
import { MailSettings } from './mail-settings';
import { Passkey } from './passkeys';
import { RoutingView } from './routing-schemas';
import { OptionalCode, OwnerProof } from './second-factor';
import { Session } from './sessions';
import { SharedReport } from './shared-reports';
import { SavedStyle } from './styles';
import { TimeZone } from './time-zones';
import { Webhook } from './webhooks';

export const Subscription = z.object({
  plan: z.string(),
  status: z.enum(['active', 'due_date', 'incomplete', 'expired', 'trialing', 'canceled']),
  accessUntil: IsoDateTime,
  /** Access is decided by the date, not by the label. */
  running: z.boolean(),
  /** Whether it was cancelled and ends with its access. */
  ending: z.boolean(),
});

export const Profile = z.object({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  pendingEmail: z.string().nullable(),
  /** Shown on the pages of its codes; empty if none. */
  publicName: z.string(),
  /** Null until one is chosen or guessed. */
  timeZone: z.string().nullable(),
  subscription: Subscription.nullable(),
});
export type Profile = z.infer<typeof Profile>;

/** What the settings page edits; `GET /api/validation/profile` describes it. */
export const ProfileForm = z.object({
  firstName: FirstNameField,
  lastName: LastNameField,
  email: EmailField,
  /** Stays as it is if absent. */
  publicName: PublicNameField.optional(),
});

export const getProfile = call({
  name: 'getProfile',
  method: 'GET',
  path: '/api/account/profile',
  summary: 'Names, e-mail and subscription of the signed-in account',
  access: 'user',
  response: dataOf(Profile),
  errors: ['unauthenticated'],
});

/**
 * A new e-mail address stays pending until its owner confirms it, and needs the current password: errors on
 * `currentPassword` are `current_password_required`, `password_wrong` or `recent_sign_in_required` (an
 * account without a password that signed in more than 10 minutes ago). The response is the same for an
 * address in use.
 */
export const updateProfile = call({
  name: 'updateProfile',
  method: 'PUT',
  path: '/api/account/profile',
  summary: 'Change names; request another e-mail address',
  access: 'user',
  body: ProfileForm.extend({
    currentPassword: passwordText('current_password_required').optional(),
    code: OptionalCode,
    locale: LocaleCode.optional(),
  }),
  response: z.object({
    status: z.literal('success'),
    message: z.enum(['profile_updated', 'email_change_requested']),
    data: Profile,
  }),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

export const changeTimeZone = call({
  name: 'changeTimeZone',
  method: 'PUT',
  path: '/api/account/time-zone',
  summary: "Set the account's time zone, or unset it; with `onlyIfUnset`, keep the one that it has",
  access: 'user',
  body: z.object({
    timeZone: TimeZone.nullable(),
    /** For a guess, which must not undo a choice. */
    onlyIfUnset: z.boolean().default(false),
  }),
  response: doneAs('time_zone_changed'),
  errors: ['unauthenticated', 'invalid'],
});

/**
 * Errors on `currentPassword`: `password_required` and `password_wrong`, or `recent_sign_in_required` for an account without
 * a password; on `newPassword`: the password rules. Ends every session.
 */
export const changePassword = call({
  name: 'changePassword',
  method: 'POST',
  path: '/api/account/change-password',
  summary: 'Change the password and end all sessions; revoke all API keys if asked to',
  access: 'user',
  body: OwnerProof.extend({
    newPassword: NewPasswordField,
    confirmPassword: ConfirmPasswordField.optional(),
    revokesKeys: z.boolean().default(false),
  }).refine((body) => body.confirmPassword === undefined || body.confirmPassword === body.newPassword, {
    path: ['confirmPassword'],
    error: 'passwords_differ',
  }),
  response: doneAs('password_changed'),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

/**
 * Erases the account; invoices are kept as the law requires. An account without a password (it only ever signed in with
 * Google) needs a sign-in within the last 10 minutes: `recent_sign_in_required` on `password` otherwise.
 */
export const deleteAccount = call({
  name: 'deleteAccount',
  method: 'DELETE',
  path: '/api/account',
  summary: 'Erase the account and everything personal in it',
  access: 'user',
  body: z.object({
    password: OptionalPasswordField,
    code: OptionalCode,
    /**
     * Public link codes visited within the last year go on leading to their content, without owner, name, rules and
     * figures; those that are paused or have ended do not.
     */
    keepsLinks: z.boolean().default(false),
  }),
  response: doneAs('account_deleted'),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

const ExportedCode = Code.omit({ visits: true, destination: true }).extend({
  deletedAt: IsoDateTime.nullable(),
  routing: RoutingView.nullable(),
  changes: z.array(CodeChange),
  /** Visits by people; `others` are robots, previews and the owner. */
  totals: z.object({ scans: z.int(), clicks: z.int(), others: z.int() }),
});

/** Everything stored about an account (GDPR art. 15 and 20), as one JSON document. */
export const AccountExport = z.object({
  exportedAt: IsoDateTime,
  account: Profile.extend({
    id: Id,
    locale: LocaleCode,
    createdAt: IsoDateTime,
    lastLoginAt: IsoDateTime.nullable(),
    identities: z.array(
      z.object({ issuer: z.string(), subject: z.string(), email: z.string(), createdAt: IsoDateTime }),
    ),
    secondFactor: SecondFactorRecord.nullable(),
    passkeys: z.array(Passkey),
    mailSettings: MailSettings,
    keys: z.array(ApiKey),
    /** Without their secrets. */
    webhooks: z.array(Webhook),
  }),
  /** Links that have not ended, without what is secret about them. */
  sharedReports: z.array(SharedReport.omit({ token: true })),
  addresses: z.array(Address),
  styles: z.array(SavedStyle),
  /** Designs from before the purchase that could not become codes, as typed. */
  unfinishedDesigns: z.array(DraftFields),
  sessions: z.array(Session),
  knownDevices: z.array(KnownDeviceRecord),
  activities: z.array(Activity),
  orders: z.array(OrderRecord),
  transactions: z.array(PaymentRecord),
  card: CardRecord.nullable(),
  declarations: z.array(DeclarationRecord),
  tickets: z.array(TicketRecord),
  mails: z.array(MailRecord),
  codes: z.array(ExportedCode),
});

export type AccountExport = z.infer<typeof AccountExport>;

export const exportAccount = call({
  name: 'exportAccount',
  method: 'GET',
  path: '/api/account/export',
  summary: 'Everything stored about the account, as JSON',
  access: 'user',
  response: dataOf(AccountExport),
  errors: ['unauthenticated', 'rate_limited'],
});
