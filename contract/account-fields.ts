import { z } from 'zod';

/** One line of text: composed characters (NFC), trimmed, without control characters or lone surrogates. */
export function lineField(name: string, max: number) {
  return z
    .string(`${name}_required`)
    .normalize('NFC')
    .trim()
    .max(max, `${name}_too_long`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, `${name}_invalid`);
}

/** A line that may not be empty. */
export function requiredLineField(name: string, max: number) {
  return lineField(name, max).min(1, `${name}_required`);
}

/** At most 254 characters (RFC 5321 §4.5.3.1.3 less the brackets). */
export const EmailField = z
  .string('email_required')
  .trim()
  .max(254, 'email_too_long')
  .regex(z.regexes.email, { error: ({ input }) => (input === '' ? 'email_required' : 'email_invalid') });

export const FirstNameField = requiredLineField('first_name', 100);
export const LastNameField = requiredLineField('last_name', 100);

/** A password as typed to prove who one is: no rule but a length that hashing can bear. */
export const PasswordField = z
  .string('password_required')
  .normalize('NFC')
  .min(1, 'password_required')
  .max(128, 'password_too_long');

/**
 * A password to be set. No composition rules (NIST SP 800-63B-4); the host also answers `password_common` and
 * `password_like_email`.
 */
export const NewPasswordField = z
  .string('new_password_required')
  .normalize('NFC')
  .min(8, { error: ({ input }) => (input === '' ? 'new_password_required' : 'password_too_short') })
  .max(128, 'password_too_long')
  .regex(/^[^\0]*$/, 'password_invalid');

/** The secret part of a mailed link: 32 random bytes in base64url. */
export const MailTokenField = z.string('token_unknown').regex(/^[\w-]{43}$/, 'token_unknown');
