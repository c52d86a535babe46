import { z } from 'zod';
import {
  ConfirmPasswordField,
  EmailField,
  FirstNameField,
  LastNameField,
  MailTokenField,
  NewPasswordField,
} from './account-fields';
import { call, Done, dataOf, doneAs, LocaleCode } from './call';
import { robotFields } from './form-tokens';
import { DeviceTokens, SignInResponse } from './sessions';

/** Both passwords must match; the error is reported on the second. */
const twice = {
  check: (body: { password: string; confirmPassword: string }) => body.password === body.confirmPassword,
  refusal: { path: ['confirmPassword'], error: 'passwords_differ' },
};
const locale = LocaleCode.optional();

/**
 * First sign-in after buying. Errors on `token`: `token_unknown`, `token_used`, `token_expired` (also for a link
 * that a newer one replaced). The design saved before buying becomes the first code. The same form posted again
 * within a minute gets the same response.
 */
export const onboard = call({
  name: 'onboard',
  method: 'POST',
  path: '/api/account/onboarding',
  summary: 'Set the name and password of a new account, and sign in',
  access: 'public',
  body: z
    .object({
      token: MailTokenField,
      firstName: FirstNameField,
      lastName: LastNameField,
      password: NewPasswordField,
      confirmPassword: ConfirmPasswordField,
      locale,
      devices: DeviceTokens,
    })
    .refine(twice.check, twice.refusal),
  response: SignInResponse,
  errors: ['invalid', 'rate_limited'],
});

/** The response is the same whether or not there is an account to onboard. */
export const resendOnboarding = call({
  name: 'resendOnboarding',
  method: 'POST',
  path: '/api/account/onboarding/resend',
  summary: 'Resend the onboarding link, given the old link or the e-mail address',
  access: 'public',
  body: z
    .object({
      token: MailTokenField.optional(),
      email: EmailField.optional(),
      /** The captcha's action is `resend_onboarding`. */
      ...robotFields,
      locale,
    })
    .refine((body) => body.token !== undefined || body.email !== undefined, {
      path: ['email'],
      error: 'email_required',
    }),
  response: Done,
  errors: ['invalid', 'rate_limited'],
});

/** Lets a page say that a link no longer works before anything is typed; does not use the link up. */
export const checkMailToken = call({
  name: 'checkMailToken',
  method: 'POST',
  path: '/api/account/mail-token',
  summary: 'Whether a mailed link can still be used',
  access: 'public',
  body: z.object({ token: MailTokenField, purpose: z.enum(['onboarding', 'reset', 'email_change']) }),
  response: dataOf(
    z.object({
      /** The account's address, for password managers; for an e-mail change the new one. */
      email: z.string(),
      /** As far as they are known before the account is set up; empty for other links. */
      firstName: z.string(),
      lastName: z.string(),
    }),
  ),
  errors: ['invalid', 'rate_limited'],
});

/** Same response, after the same work, whether or not the address is known; the mail is sent afterwards. */
export const forgotPassword = call({
  name: 'forgotPassword',
  method: 'POST',
  path: '/api/account/forgot-password',
  summary: 'Mail a link to set a new password (valid once, for 30 minutes)',
  access: 'public',
  body: z.object({
    email: EmailField,
    /** The captcha's action is `forgot_password`. */
    ...robotFields,
    locale,
  }),
  response: Done,
  errors: ['invalid', 'rate_limited'],
});

/** Ends every session and signs nobody in. Errors on `token` as for onboarding. */
export const resetPassword = call({
  name: 'resetPassword',
  method: 'POST',
  path: '/api/account/reset-password',
  summary: 'Set a new password with a mailed link',
  access: 'public',
  body: z
    .object({
      token: MailTokenField,
      password: NewPasswordField,
      confirmPassword: ConfirmPasswordField,
      /** The keys that programs use, and the grants of connected ones, end too. */
      revokesKeys: z.boolean().default(false),
      /** The captcha's action is `reset_password`. */
      ...robotFields,
    })
    .refine(twice.check, twice.refusal),
  /** How many can still sign in, and how many keys and connected programs have access: none depends on the password. */
  response: Done.extend({ passkeys: z.int(), keys: z.int() }),
  errors: ['invalid', 'rate_limited'],
});

/** Errors on `token` as for onboarding, and `email_taken` when another account has the address by now. */
export const confirmEmail = call({
  name: 'confirmEmail',
  method: 'POST',
  path: '/api/account/confirm-email',
  summary: 'Confirm a new e-mail address with the link mailed to it',
  access: 'public',
  body: z.object({ token: MailTokenField }),
  /** The session that the link was opened in, whose token names the new address from now on; null if it was in none. */
  response: Done.extend({ session: z.object({ token: z.string(), remember: z.boolean() }).nullable() }),
  errors: ['invalid', 'rate_limited'],
});

export const resendEmailChange = call({
  name: 'resendEmailChange',
  method: 'POST',
  path: '/api/account/email-change/resend',
  summary: 'Resend the link that confirms the pending e-mail address',
  access: 'user',
  body: z.object({
    /** The captcha's action is `resend_email_change`. */
    ...robotFields,
  }),
  response: doneAs('email_change_sent'),
  errors: ['unauthenticated', 'not_found', 'invalid', 'rate_limited'],
});

export const cancelEmailChange = call({
  name: 'cancelEmailChange',
  method: 'DELETE',
  path: '/api/account/email-change',
  summary: 'Cancel the pending e-mail change; its link stops working',
  access: 'user',
  response: doneAs('email_change_cancelled'),
  errors: ['unauthenticated', 'not_found'],
});
