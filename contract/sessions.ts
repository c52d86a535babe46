import { z } from 'zod';
import { PasswordField, withAsciiDomain } from './account-fields';
import { call, Done, doneAs, Id, IsoDateTime } from './call';
import { robotFields } from './form-tokens';
import { SecondFactorCode } from './second-factor';

/** The JWT at the top level; if the host sends none it is empty: no sign-in. */
export const TokenResponse = z.object({
  token: z.string().default(''),
  /**
   * Token that the browser keeps for a year and sends when it signs in again, so that its attempts are counted apart
   * from those of strangers. It proves nothing else. Empty if the host remembers no devices.
   */
  device: z.string().default(''),
});

/**
 * Response to a sign-in to an account that may have a second factor: the token, or an empty one and a
 * `challenge` that `completeLogIn` accepts within five minutes, together with a code.
 */
export const SignInResponse = TokenResponse.extend({ challenge: z.string().optional() });

/** Device tokens that the browser kept from earlier sign-ins, to any account. */
export const DeviceTokens = z.array(z.string().max(100)).max(5).default([]);

export type TokenClaims = z.infer<typeof TokenClaims>;
export const TokenClaims = z.object({
  sub: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  /** Seconds since the epoch (RFC 7519). */
  exp: z.number(),
});

export const logIn = call({
  name: 'logIn',
  method: 'POST',
  path: '/api/login_check',
  summary: 'Sign in with e-mail and password',
  access: 'public',
  body: z.object({
    email: z
      .string('email_required')
      .trim()
      .min(1, 'email_required')
      .max(254, 'email_invalid')
      .regex(/^\P{Cc}*$/u, 'email_invalid')
      .overwrite(withAsciiDomain),
    password: PasswordField,
    /** 30 days instead of 12 hours. */
    remember: z.boolean().default(false),
    devices: DeviceTokens,
    /** From `googleLogIn`: links that identity to the account, if it was issued for this account. */
    link: z.string().max(4096).optional(),
    /** The captcha's action is `login`; a device that signed in before needs none. */
    ...robotFields,
  }),
  response: SignInResponse,
  errors: ['invalid', 'invalid_credentials', 'rate_limited'],
});

/**
 * The second step of a sign-in. Errors on `challenge`: `sign_in_expired` after five minutes, five attempts or a change
 * of the account; on `code`: `code_wrong`, `code_used`.
 */
export const completeLogIn = call({
  name: 'completeLogIn',
  method: 'POST',
  path: '/api/login_check/code',
  summary: 'Finish signing in with a code from the authenticator app or a recovery code',
  access: 'public',
  body: z.object({
    challenge: z.string('sign_in_expired').min(1, 'sign_in_expired').max(4096, 'sign_in_expired'),
    code: SecondFactorCode,
    devices: DeviceTokens,
  }),
  response: TokenResponse,
  errors: ['invalid', 'rate_limited'],
});

/**
 * Accepts the ID token that the website got from Google and verifies it again. Errors on `idToken`:
 * `google_invalid_token`; `google_unknown_account` if nobody bought with that address; `google_set_up_first`.
 * A new identity is linked to the account with its address if Google runs that mailbox (Gmail or a hosted
 * domain). If it does not, an account without a password must be set up with the mailed link first
 * (`google_set_up_first`); one with a password returns a `link` instead of a token, which `logIn` accepts
 * within ten minutes. A buyer who has not followed the mailed link yet can set up the account this way: the
 * design saved before buying becomes a code.
 */
export const googleLogIn = call({
  name: 'googleLogIn',
  method: 'POST',
  path: '/api/google_login',
  summary: 'Sign in with a Google ID token (OpenID Connect)',
  access: 'public',
  body: z.object({
    idToken: z
      .string('google_invalid_token')
      .min(1, 'google_invalid_token')
      .max(8192, 'google_invalid_token'),
    /** What the website sent with the authorization request. */
    nonce: z.string('google_invalid_token').min(16, 'google_invalid_token').max(256, 'google_invalid_token'),
    remember: z.boolean().default(false),
    devices: DeviceTokens,
  }),
  response: SignInResponse.extend({
    /** `account`: opened for the first time. `code`: a saved design became a code of an account opened before. */
    created: z.enum(['account', 'code']).nullable(),
    link: z.string().optional(),
  }),
  errors: ['invalid', 'not_found', 'rate_limited', 'unavailable'],
});

export const logOut = call({
  name: 'logOut',
  method: 'POST',
  path: '/api/account/logout',
  summary: 'End this session',
  access: 'user',
  response: Done,
  errors: ['unauthenticated'],
});

/** Names of browser and system as their makers write them; empty when unknown. */
export const Device = z.object({
  browser: z.string(),
  system: z.string(),
  kind: z.enum(['desktop', 'mobile', 'tablet', 'unknown']),
});
export type Device = z.infer<typeof Device>;

export const Session = z.object({
  id: Id,
  device: Device,
  remember: z.boolean(),
  createdAt: IsoDateTime,
  /** Exact to five minutes. */
  lastSeenAt: IsoDateTime,
  expiresAt: IsoDateTime,
  /** True for the session of this call. */
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

export const endOtherSessions = call({
  name: 'endOtherSessions',
  method: 'DELETE',
  path: '/api/account/sessions',
  summary: 'Sign out all other devices',
  access: 'user',
  response: doneAs('sessions_ended'),
  errors: ['unauthenticated'],
});

export const endOneSession = call({
  name: 'endOneSession',
  method: 'DELETE',
  path: '/api/account/sessions/{id}',
  summary: 'Sign out one device',
  access: 'user',
  params: z.object({ id: Id }),
  response: Done,
  errors: ['unauthenticated', 'not_found'],
});
