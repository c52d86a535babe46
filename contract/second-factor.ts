import { z } from 'zod';
import { OptionalPasswordField } from './account-fields';
import { call, dataOf, doneAs, IsoDateTime } from './call';

const enteredCode = z
  .string('code_required')
  .max(100, { error: 'code_invalid', abort: true })
  .overwrite((entered) => entered.normalize('NFKC').replace(/[\s\p{Pd}]/gu, ''));

/** Six digits of the authenticator app or sixteen of a recovery code, in groups or not. */
export const SecondFactorCode = enteredCode.regex(/^(?:\d{6}|\d{16})$/, {
  error: ({ input }) => (input === '' ? 'code_required' : 'code_invalid'),
});

/**
 * The same beside a password: required if the account has a second factor (`code_required`, `code_wrong`, `code_used`),
 * ignored otherwise. A code is accepted again in the same session for a minute.
 */
export const OptionalCode = enteredCode.regex(/^(?:|\d{6}|\d{16})$/, 'code_invalid').default('');

/** What the owner of an account types to change a way into it. */
export const OwnerProof = z.object({ currentPassword: OptionalPasswordField, code: OptionalCode });

/** For the authenticator app: `secret` (base32) to type, and `uri` (otpauth) to show as a QR code. */
const TotpSetup = z.object({ secret: z.string(), uri: z.string() });

export const SecondFactor = z.object({
  state: z.enum(['off', 'pending', 'on']),
  /** Since when it is on. */
  since: IsoDateTime.nullable(),
  /** Recovery codes not used yet. */
  recoveryCodesLeft: z.int(),
  /** While pending: for an hour, and only in the session that started it. */
  setup: TotpSetup.nullable(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** Only this response contains these codes: the host stores hashes. */
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const getSecondFactor = call({
  name: 'getSecondFactor',
  method: 'GET',
  path: '/api/account/second-factor',
  summary: 'Whether signing in needs a code from an authenticator app',
  access: 'user',
  response: dataOf(SecondFactor),
  errors: ['unauthenticated'],
});

/** Creates a secret, to be confirmed with a code. `conflict` while the second factor is on. */
export const startSecondFactor = call({
  name: 'startSecondFactor',
  method: 'POST',
  path: '/api/account/second-factor',
  summary: 'Start setting up an authenticator app (RFC 6238)',
  access: 'user',
  body: z.object({ currentPassword: OptionalPasswordField }),
  response: dataOf(TotpSetup),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/**
 * Turns the second factor on. Errors on `code`: `code_wrong`. `conflict` if nothing awaits confirmation, except that the
 * same confirmation sent again within a minute returns a new set of codes.
 */
export const confirmSecondFactor = call({
  name: 'confirmSecondFactor',
  method: 'POST',
  path: '/api/account/second-factor/confirmation',
  summary: 'Turn the second factor on with a code from the app',
  access: 'user',
  body: z.object({ code: SecondFactorCode }),
  response: dataOf(RecoveryCodes),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/** Errors on `code`: `code_wrong`, `code_used`. Succeeds if it is off already. */
export const endSecondFactor = call({
  name: 'endSecondFactor',
  method: 'DELETE',
  path: '/api/account/second-factor',
  summary: 'Turn the second factor off',
  access: 'user',
  body: z.object({ currentPassword: OptionalPasswordField, code: SecondFactorCode }),
  response: doneAs('second_factor_off'),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

/** `conflict` while the second factor is off. A renewal repeated within a minute returns new codes. */
export const renewRecoveryCodes = call({
  name: 'renewRecoveryCodes',
  method: 'POST',
  path: '/api/account/second-factor/recovery-codes',
  summary: 'Replace all recovery codes with new ones',
  access: 'user',
  body: z.object({ currentPassword: OptionalPasswordField, code: SecondFactorCode }),
  response: dataOf(RecoveryCodes),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});
