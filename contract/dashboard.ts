import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime } from './call';
import { CodeType } from './codes';
import { UnfinishedDesign } from './drafts';
import { Statistics } from './statistics';
import { SubscriptionStatus } from './subscriptions';
import { TimeZone } from './time-zones';

export const ACTIVITY_TYPES = [
  'account_requested_email_change',
  'account_updated_profile',
  'account_changed_password',
  'account_deleted_billing_address',
  'account_set_default_billing_address',
  'qrcode_create',
  'qrcode_update',
  'qrcode_delete',
  'auth_login',
  'google_auth_login',
  'second_factor_on',
  'second_factor_off',
  'recovery_codes_renewed',
  'passkey_added',
  'passkey_removed',
  'key_made',
  'key_changed',
  'key_renewed',
  'key_revoked',
  'grant_made',
  'grant_ended',
  'webhook_made',
  'webhook_moved',
  'webhook_rotated',
] as const;

export const Activity = z.object({
  type: z.enum(ACTIVITY_TYPES),
  at: IsoDateTime,
  /** Number of codes affected: more than 1 for bulk actions; 0 if it was not about codes. */
  codes: z.int(),
  /** The single code affected; null if there was none or several, or if it is deleted. */
  code: z.object({ id: Id, type: CodeType, name: z.string().nullable(), content: z.string() }).nullable(),
});
export type Activity = z.infer<typeof Activity>;

/** Days of the figures of the dashboard and of a code's page, including today. */
export const RECENT_FIGURES_DAYS = 30;

export const getOverview = call({
  name: 'getOverview',
  method: 'GET',
  path: '/api/dashboard/overview',
  summary: 'Figures of the last 30 days, subscription and the 20 newest activities',
  access: 'user',
  /** `timeZone` decides where the 30 days begin. */
  query: z.object({ timeZone: TimeZone.default('UTC') }),
  response: dataOf(
    z.object({
      /** The same numbers as in the statistics of these days. */
      stats: Statistics.pick({
        asOf: true,
        period: true,
        uncounted: true,
        figures: true,
        trend: true,
        mostActive: true,
      }),
      /** As in the profile; null before the first purchase. */
      subscription: z
        .object({
          plan: z.string(),
          status: SubscriptionStatus,
          accessUntil: IsoDateTime,
          running: z.boolean(),
          ending: z.boolean(),
        })
        .nullable(),
      recentActivities: z.array(Activity),
      /** The newest design kept before buying that is not yet valid. */
      unfinishedDesign: UnfinishedDesign.nullable(),
    }),
  ),
  errors: ['unauthenticated', 'invalid'],
});
