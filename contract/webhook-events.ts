/** What programs can be told by webhooks. */
export const WEBHOOK_EVENTS = [
  'code.created',
  'code.updated',
  'code.deleted',
  'code.first_visit',
  'code.milestone',
  'code.destination_failed',
  'visits.hourly',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;

/** Why a webhook is off: by its owner, because its program answered 410, or because it failed for days. */
export const OFF_REASONS = ['owner', 'gone', 'failed'] as const;
