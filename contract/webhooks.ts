import { z } from 'zod';
import { lineField } from './account-fields';
import {
  call,
  dataOf,
  doneAs,
  FormKey,
  Id,
  IsoDateTime,
  LongCursor,
  listOf,
  listQuery,
  pageLimit,
  pageOf,
} from './call';
import { oneTag } from './labels';
import { OwnerProof } from './second-factor';
import { isStorable } from './storable';
import { DELIVERY_STATES, OFF_REASONS, WEBHOOK_EVENTS } from './webhook-events';

export const WEBHOOKS_PER_ACCOUNT = 10;

/** An address of a program that is told what happens to the codes of an account. */
export const Webhook = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  /** It is told only of codes with this tag; null for all. */
  tag: z.string().nullable(),
  /** False while it gets nothing. */
  enabled: z.boolean(),
  /** Why it is off: `owner`, `gone` as its program answered 410, or `failed` for days; null while it is on. */
  offReason: z.enum(OFF_REASONS).nullable(),
  offAt: IsoDateTime.nullable(),
  createdAt: IsoDateTime,
  updatedAt: IsoDateTime,
});
export type Webhook = z.infer<typeof Webhook>;

const WebhookWithSecret = Webhook.extend({
  /** `whsec_` and the base64 of 32 bytes, with which messages are signed. */
  secret: z.string(),
  /** Until when messages are also signed with the secret from before the last rotation; null if they are not. */
  earlierSecretUntil: IsoDateTime.nullable(),
});
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

/** A message to a webhook. */
export const Delivery = z.object({
  id: Id,
  /** The `webhook-id` of the message, the same each time it is sent. */
  messageId: z.string(),
  type: z.enum([...WEBHOOK_EVENTS, 'test']),
  status: z.enum(DELIVERY_STATES),
  /** Sent by hand: once, and without a second attempt. */
  manual: z.boolean(),
  createdAt: IsoDateTime,
  /** Attempts that failed. */
  failures: z.int(),
  /** When it is tried next; null if it is not. */
  nextAt: IsoDateTime.nullable(),
  /** Null before the first attempt. */
  lastAttempt: z
    .object({
      at: IsoDateTime,
      /** Status of the response; null if there was none. */
      response: z.int().nullable(),
      /** Why there was no response, such as `dns`, `tls`, `timeout`, `refused` or `unreachable`. */
      problem: z.string().nullable(),
      ms: z.int(),
      /** How the response began. */
      excerpt: z.string(),
    })
    .nullable(),
  /** The body of the message, as it is sent. */
  body: z.string(),
});
export type Delivery = z.infer<typeof Delivery>;

const params = z.object({ id: Id });
const fields = {
  url: z
    .string('webhook_url_required')
    .trim()
    .min(1, 'webhook_url_required')
    .max(1_000, 'webhook_url_too_long')
    .refine(isStorable, 'webhook_url_invalid'),
  description: lineField('webhook_description', 100),
  events: z
    .array(z.enum(WEBHOOK_EVENTS, 'webhook_event_unknown'), 'webhook_events_required')
    .min(1, 'webhook_events_required')
    .max(WEBHOOK_EVENTS.length, 'webhook_event_unknown'),
  tag: oneTag('webhook_tag_invalid'),
};

export const listWebhooks = call({
  name: 'listWebhooks',
  method: 'GET',
  path: '/api/webhooks',
  summary: "The account's webhooks, newest first, without their secrets",
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/webhooks',
  response: dataOf(z.array(Webhook)),
  errors: ['unauthenticated'],
});

export const createWebhook = call({
  name: 'createWebhook',
  method: 'POST',
  path: '/api/webhooks',
  summary: 'Have a public https address told of events; at most 10 addresses',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/webhooks',
  body: OwnerProof.extend({
    url: fields.url,
    description: fields.description.default(''),
    events: fields.events,
    /** Null or empty for all codes. */
    tag: fields.tag.default(null),
    /** The same form with the same key makes one. */
    key: FormKey.optional(),
  }),
  response: dataOf(WebhookWithSecret),
  versions: ['ETag'],
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'webhook_limit', 'rate_limited'],
});

export const readWebhook = call({
  name: 'readWebhook',
  method: 'GET',
  path: '/api/webhooks/{id}',
  summary: 'One webhook with its secret',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}',
  params,
  response: dataOf(WebhookWithSecret),
  versions: ['ETag'],
  errors: ['unauthenticated', 'not_found'],
});

/** The proof is needed for another address only. */
export const updateWebhook = call({
  name: 'updateWebhook',
  method: 'PATCH',
  path: '/api/webhooks/{id}',
  summary:
    'Change a webhook, or switch it on or off; switched off, it gets nothing of what happens meanwhile',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}',
  params,
  body: OwnerProof.extend({
    url: fields.url.optional(),
    description: fields.description.optional(),
    events: fields.events.optional(),
    tag: fields.tag.optional(),
    enabled: z.boolean().optional(),
  }),
  response: dataOf(Webhook),
  versions: ['ETag', 'If-Match'],
  errors: [
    'unauthenticated',
    'subscription_required',
    'not_found',
    'invalid',
    'precondition_failed',
    'rate_limited',
  ],
});

export const deleteWebhook = call({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/api/webhooks/{id}',
  summary: 'Delete a webhook with its log',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}',
  params,
  response: doneAs('webhook_deleted'),
  versions: ['If-Match'],
  errors: ['unauthenticated', 'not_found', 'precondition_failed'],
});

export const rotateWebhook = call({
  name: 'rotateWebhook',
  method: 'POST',
  path: '/api/webhooks/{id}/rotate',
  summary:
    'Give a webhook a new secret; for 24 hours, messages are signed with the present one as well, and it cannot be replaced again',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}/rotate',
  params,
  body: OwnerProof,
  response: dataOf(WebhookWithSecret),
  errors: ['unauthenticated', 'not_found', 'invalid', 'rotated_recently', 'rate_limited'],
});

export const testWebhook = call({
  name: 'testWebhook',
  method: 'POST',
  path: '/api/webhooks/{id}/test',
  summary: 'Send a message of the type `test` once, even while the webhook is off',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}/test',
  params,
  response: dataOf(Delivery),
  errors: ['unauthenticated', 'not_found', 'rate_limited'],
});

export const listDeliveries = call({
  name: 'listDeliveries',
  method: 'GET',
  path: '/api/webhooks/{id}/deliveries',
  summary: 'Messages to a webhook of the last 30 days, newest first',
  access: 'user',
  key: 'read',
  params,
  query: z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
    limit: pageLimit().catch(20),
  }),
  response: pageOf(Delivery),
  errors: ['unauthenticated', 'not_found'],
});

export const listPublicDeliveries = call({
  name: 'listPublicDeliveries',
  method: 'GET',
  path: '/api/v1/webhooks/{id}/deliveries',
  summary: 'Messages to a webhook of the last 30 days, newest first; what is sent meanwhile shifts nothing',
  access: 'user',
  key: 'read',
  params,
  query: listQuery(LongCursor),
  response: listOf(Delivery),
  errors: ['unauthenticated', 'not_found', 'invalid'],
});

export const resendDelivery = call({
  name: 'resendDelivery',
  method: 'POST',
  path: '/api/webhooks/{id}/deliveries/{delivery}/resend',
  summary: 'Send a message again, once, with the same id and body and a new signature',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/webhooks/{id}/deliveries/{delivery}/resend',
  params: z.object({ id: Id, delivery: Id }),
  response: dataOf(Delivery),
  errors: ['unauthenticated', 'not_found', 'rate_limited'],
});
