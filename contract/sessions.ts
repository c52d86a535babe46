import { z } from 'zod';
import { call, Done } from './call';

/** JWT answer, top level as section 7 of the specification has it. */
export const TokenAnswer = z.object({ token: z.string().min(1) });

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
    email: z.string().trim().min(1, 'email_required').max(254, 'email_invalid'),
    password: z.string().min(1, 'password_required').max(128, 'password_too_long'),
    /** 30 days instead of 12 hours. */
    remember: z.boolean().default(false),
  }),
  response: TokenAnswer,
  errors: ['invalid', 'invalid_credentials', 'rate_limited'],
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
