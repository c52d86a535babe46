import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime } from './call';
import { CodeType } from './codes';
import { UnfinishedDesign } from './drafts';
import { SubscriptionStatus } from './subscriptions';

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

/** Visits by people only; robots, previews and the owner's own visits are left out. */
export const DashboardStats = z.object({
  codes: z.int(),
  /** Codes visited within the last 30 days. */
  activeCodes: z.int(),
  scans: z.int(),
  clicks: z.int(),
  /** Scans and clicks since midnight UTC. */
  visitsToday: z.int(),
  /** Unique visitors per UTC day, summed over today and the 29 days before. */
  uniqueVisitors30: z.int(),
});
export type DashboardStats = z.infer<typeof DashboardStats>;

/** Days covered by the overview's daily figures, including today. */
export const RECENT_FIGURES_DAYS = 30;

export const getOverview = call({
  name: 'getOverview',
  method: 'GET',
  path: '/api/dashboard/overview',
  summary: 'Figures, subscription, the 20 newest activities and the most visited codes',
  access: 'user',
  response: dataOf(
    z.object({
      stats: DashboardStats,
      /** As in the profile; null before the first purchase. */
      subscription: z
        .object({
          plan: z.string(),
          status: SubscriptionStatus,
          accessUntil: IsoDateTime,
          running: z.boolean(),
        })
        .nullable(),
      recentActivities: z.array(Activity),
      /** Visits by people on each of the last 30 UTC days, today last. */
      visitsByDay: z.array(z.int()).length(RECENT_FIGURES_DAYS),
      /** The most visited codes, most first; five at most. */
      mostVisited: z.array(
        z.object({
          id: Id,
          type: CodeType,
          name: z.string().nullable(),
          content: z.string(),
          visits: z.int(),
        }),
      ),
      /** The newest design kept before buying that is not yet valid. */
      unfinishedDesign: UnfinishedDesign.nullable(),
    }),
  ),
  errors: ['unauthenticated'],
});
