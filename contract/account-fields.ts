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

/** At most 254 characters (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const EmailField = z
  .string('email_required')
  .trim()
  .max(254, 'email_too_long')
  .regex(z.regexes.email, { error: ({ input }) => (input === '' ? 'email_required' : 'email_invalid') });

export const FirstNameField = requiredLineField('first_name', 100);
export const LastNameField = requiredLineField('last_name', 100);

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
