import { domainToASCII } from 'node:url';
import { z } from 'zod';

/**
 * A text in composed characters (NFC), for fields of at most `max`. Its raw length is checked first, because
 * normalising many marks out of order takes quadratic time. A composed character decomposes into at most four.
 */
export function composed(text: z.ZodString, max: number, tooLong: string) {
  return text.max(4 * max, { error: tooLong, abort: true }).normalize('NFC');
}

/** One line of text: composed characters (NFC), trimmed, without control characters or lone surrogates. */
export function lineField(name: string, max: number) {
  return composed(z.string(`${name}_required`), max, `${name}_too_long`)
    .trim()
    .max(max, `${name}_too_long`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, `${name}_invalid`);
}

/** A line that may not be empty. */
export function requiredLineField(name: string, max: number) {
  return lineField(name, max).min(1, `${name}_required`);
}

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const EMAIL_MAX = 254;
/**
 * What mail servers deliver to: a dot-atom (RFC 5322) of at most 64 characters, and the full name of a host (RFC 1123).
 * Browsers compile patterns with the flag `v`, where some characters of a class need an escape.
 */
const EMAIL =
  /^(?=[^@]{1,64}@)[\w!#$%\x26'*+\x2f=?^`\x7b-\x7e\x2d]+(?:\.[\w!#$%\x26'*+\x2f=?^`\x7b-\x7e\x2d]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9\x2d]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9\x2d]{0,58}[A-Za-z0-9])$/;

/**
 * The one rule for addresses that we send mail to. The domain is stored in ASCII (RFC 5891), however it is typed: mail
 * servers and Stripe accept that form everywhere, and one mailbox is one account.
 */
export function emailField(text: z.ZodString) {
  return text
    .trim()
    .overwrite(withAsciiDomain)
    .min(1, 'email_required')
    .max(EMAIL_MAX, 'email_too_long')
    .refine((address) => EMAIL.test(address), {
      error: 'email_invalid',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ format: 'email', pattern: EMAIL.source });
}

export const EmailField = emailField(z.string('email_required'));

/** An address with the letters of its domain in ASCII, and without invisible characters; with an invalid domain, none. */
export function withAsciiDomain(address: string): string {
  const visible = address.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const at = visible.lastIndexOf('@') + 1;
  const domain = visible.slice(at);
  // The others are ASCII already, and keep their letter case; longer ones are refused anyway.
  if (at === 0 || visible.length > EMAIL_MAX || !/[^\0-\x7f]|xn--/i.test(domain)) return visible;
  const isName = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u.test(domain);
  return visible.slice(0, at) + (isName ? domainToASCII(domain) : '');
}

export const NAME_LENGTH = 100;
export const FirstNameField = requiredLineField('first_name', NAME_LENGTH);
export const LastNameField = requiredLineField('last_name', NAME_LENGTH);
/** What visitors of a code's page are told about its owner; nothing if empty. */
export const PublicNameField = lineField('public_name', 80);

export function passwordText(missing: string, tooLong = 'password_too_long') {
  return composed(z.string(missing), 128, tooLong).max(128, tooLong);
}

/** A password typed to authenticate: only its length is limited, for the sake of hashing. */
export const PasswordField = passwordText('password_required').min(1, 'password_required');

/**
 * The current password; an account without one needs a sign-in not older than 10 minutes instead
 * (`recent_sign_in_required`).
 */
export const OptionalPasswordField = passwordText('password_required').default('');

/** A password typed again. */
export const ConfirmPasswordField = passwordText('passwords_differ', 'passwords_differ');

/**
 * A password to be set. No composition rules (NIST SP 800-63B-4); the host also returns `password_common` and
 * `password_like_email`.
 */
export const NewPasswordField = passwordText('new_password_required')
  .min(8, { error: ({ input }) => (input === '' ? 'new_password_required' : 'password_too_short') })
  .regex(/^[^\0]*$/, 'password_invalid');

/** The secret part of a mailed link: 32 random bytes in base64url. */
export const MailTokenField = z.string('token_unknown').regex(/^[\w-]{43}$/, 'token_unknown');
