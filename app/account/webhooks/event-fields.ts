import type { WebhookEvent } from '#contract/webhook-events';

type Underscored<Name extends string> = Name extends `${infer Group}.${infer Act}` ? `${Group}_${Act}` : Name;

/** The field of an event in forms, and the key of its text. */
export function eventField<Event extends WebhookEvent | 'test'>(event: Event): Underscored<Event> {
  return event.replace('.', '_') as Underscored<Event>;
}
