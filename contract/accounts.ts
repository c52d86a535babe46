import { z } from 'zod';
import { call, dataOf, Moment } from './call';

export const Subscription = z.object({
  plan: z.string(),
  status: z.enum(['active', 'due_date', 'incomplete', 'expired', 'trialing', 'canceled']),
  accessUntil: Moment,
  /** Access is decided by the date, not by the label. */
  running: z.boolean(),
});

export const Profile = z.object({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  pendingEmail: z.string().nullable(),
  subscription: Subscription.nullable(),
});
export type Profile = z.infer<typeof Profile>;

export const getProfile = call({
  name: 'getProfile',
  method: 'GET',
  path: '/api/account/profile',
  summary: 'Names, e-mail and subscription of the signed-in account',
  access: 'user',
  response: dataOf(Profile),
  errors: ['unauthenticated'],
});
