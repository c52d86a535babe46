import { z } from 'zod';
import { call, dataOf, doneAs, IsoDateTime } from './call';

/** Six digits of the authenticator app or sixteen of a recovery code, in groups or not. */
export const CodeField = z
  .string('code_required')
  .max(100, 'code_invalid')
  .overwrite((typed) => typed.normalize('NFKC').replace(/[\s\p{Pd}]/gu, ''))
  .regex(/^(?:\d{6}|\d{16})$/, { error: ({ input }) => (input === '' ? 'code_required' : 'code_invalid') });

/**
 * The current password; an account without one needs a sign-in not older than 10 minutes instead
 * (`recent_sign_in_required`).
 */
const CurrentPassword = z
  .string('password_required')
  .normalize('NFC')
  .max(128, 'password_too_long')
  .default('');

/** What an authenticator app takes: `secret` in base32, to be typed, and `uri` (otpauth), to be drawn as a QR code. */
const TotpSetup = z.object({ secret: z.string(), uri: z.string() });

export const SecondFactor = z.object({
  state: z.enum(['off', 'pending', 'on']),
  /** Since when it is on. */
  since: IsoDateTime.nullable(),
  /** Recovery codes not used yet. */
  recoveryCodesLeft: z.int(),
  /** While it is pending, for an hour and only in the session that began. */
  setup: TotpSetup.nullable(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** The only time that these codes are told: the host keeps hashes. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const getSecondFactor = call({
  name: 'getSecondFactor',
  method: 'GET',
  path: '/api/account/second-factor',
  summary: 'Whether signing in takes a code of an authenticator app',
  access: 'user',
  beyond: true,
  response: dataOf(SecondFactor),
  errors: ['unauthenticated'],
});

/** Makes a secret to be confirmed with a code. `conflict` while the second factor is on. */
export const startSecondFactor = call({
  name: 'startSecondFactor',
  method: 'POST',
  path: '/api/account/second-factor',
  summary: 'Begin to set up an authenticator app (RFC 6238)',
  access: 'user',
  beyond: true,
  body: z.object({ currentPassword: CurrentPassword }),
  response: dataOf(TotpSetup),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/**
 * Turns the second factor on. Errors on `code`: `code_wrong`. `conflict` where nothing waits for a confirmation; but the
 * same confirmation sent twice within a minute answers a new set of codes.
 */
export const confirmSecondFactor = call({
  name: 'confirmSecondFactor',
  method: 'POST',
  path: '/api/account/second-factor/confirmation',
  summary: 'Turn the second factor on with a first code of the app',
  access: 'user',
  beyond: true,
  body: z.object({ code: CodeField }),
  response: dataOf(RecoveryCodes),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/** Errors on `code`: `code_wrong`, `code_used`. Where it is off already that is no error. */
export const endSecondFactor = call({
  name: 'endSecondFactor',
  method: 'DELETE',
  path: '/api/account/second-factor',
  summary: 'Turn the second factor off',
  access: 'user',
  beyond: true,
  body: z.object({ currentPassword: CurrentPassword, code: CodeField }),
  response: doneAs('second_factor_off'),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

/** `conflict` while the second factor is off. */
export const renewRecoveryCodes = call({
  name: 'renewRecoveryCodes',
  method: 'POST',
  path: '/api/account/second-factor/recovery-codes',
  summary: 'Replace all recovery codes by new ones',
  access: 'user',
  beyond: true,
  body: z.object({ currentPassword: CurrentPassword, code: CodeField }),
  response: dataOf(RecoveryCodes),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});
