import { data } from '@remix-run/node';
import { z } from 'zod';
import { getSignIn } from '#contract/sign-in';
import { WEBHOOK_EVENTS } from '#contract/webhook-events';
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  resendDelivery,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from '#contract/webhooks';
import { redirectWithFlash } from '~/http/flash.server';
import {
  checkForm,
  errorsOf,
  type FormErrors,
  handleForm,
  readForm,
  withFormErrors,
} from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, orAlreadyGone, orNotFound } from '~/http/host-error.server';
import { readPageNumber, requireRows } from '~/http/page-number.server';
import { newFormKey, type UserScope } from '~/http/scope.server';
import { eventField } from './event-fields';

const PAGE = '/user/settings/webhooks';
const PER_PAGE = 20;

const text = z.string().default('');
const Proof = z.object({ currentPassword: text, code: text });
const EVENT_FIELDS = WEBHOOK_EVENTS.map(eventField);
const WebhookForm = Proof.extend({
  url: text,
  description: text,
  tag: text,
  key: z.string().optional(),
  ...Object.fromEntries(EVENT_FIELDS.map((name) => [name, z.literal('on').optional()])),
});
const FIELDS = Object.keys(WebhookForm.shape);
const Act = z.object({ intent: z.enum(['test', 'resend', 'on', 'off']), delivery: text });

export async function getWebhooks(scope: UserScope) {
  const { data: webhooks } = await callHost(scope, listWebhooks);
  return { webhooks, locale: scope.locale };
}

export async function prepareForm(scope: UserScope) {
  return { formKey: newFormKey(scope), ...(await readProof(scope)) };
}

/** What a form that asks for the owner needs. */
async function readProof(scope: UserScope) {
  const { data: signIn } = await callHost(scope, getSignIn);
  return { hasSecondFactor: signIn.secondFactorSince !== null };
}

/** A webhook with a page of its log, or a 404 page. */
export async function getWebhook(scope: UserScope, id: string | undefined) {
  const page = await readPageNumber(scope);
  const params = { id: id ?? '' };
  const [{ data: webhook }, log] = await orNotFound(
    Promise.all([
      callHost(scope, readWebhook, { params }),
      callHost(scope, listDeliveries, { params, query: { page, limit: PER_PAGE } }),
    ]),
  );
  await requireRows(scope, page, log.data);
  return { webhook, log, locale: scope.locale };
}

export type Webhook = Awaited<ReturnType<typeof getWebhooks>>['webhooks'][number];
export type Deliveries = Awaited<ReturnType<typeof getWebhook>>['log'];

/** The webhook that its owner changes, or a 404 page. */
export async function getForOwner(scope: UserScope, id: string | undefined) {
  const [{ webhook }, proof] = await Promise.all([getDeletion(scope, id), readProof(scope)]);
  return { webhook, locale: scope.locale, ...proof };
}

/** The webhook that is to be deleted, or a 404 page. */
export async function getDeletion(scope: UserScope, id: string | undefined) {
  const { data: webhook } = await orNotFound(callHost(scope, readWebhook, { params: { id: id ?? '' } }));
  return { webhook };
}

export async function handleNewWebhook(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, WebhookForm, formErrorsOf, async (entered) => {
    const body = { ...bodyOf(entered), key: entered.key };
    const made = await callHost(scope, createWebhook, { body });
    return redirectWithFlash(`${PAGE}/${made.data.id}`, { type: 'success', key: 'webhook_saved' });
  });
}

/** Any of the buttons of the page of a webhook, by its `intent`. */
export async function handleWebhook(scope: UserScope, id: string) {
  const checked = checkForm(scope, await readForm(scope, Object.keys(Act.shape)), Act);
  if (!checked.ok) throw data(null, { status: 400 });
  const { intent, delivery } = checked.value;
  const to = (key: 'webhook_saved' | 'webhook_sent', fragment = '') =>
    redirectWithFlash(`${PAGE}/${id}${fragment}`, { type: 'success', key });
  return withFormErrors(checked.reject, formErrorsOf, async () => {
    switch (intent) {
      case 'test':
        await orNotFound(callHost(scope, testWebhook, { params: { id } }));
        return to('webhook_sent', '#log');
      case 'resend':
        await orNotFound(callHost(scope, resendDelivery, { params: { id, delivery } }));
        return to('webhook_sent', '#log');
      default: {
        const body = { enabled: intent === 'on' };
        await orNotFound(callHost(scope, updateWebhook, { params: { id }, body }));
        return to('webhook_saved');
      }
    }
  });
}

/** Changes a webhook. */
export async function handleEdit(scope: UserScope, id: string) {
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, WebhookForm, formErrorsOf, async (entered) => {
    await orNotFound(callHost(scope, updateWebhook, { params: { id }, body: bodyOf(entered) }));
    return redirectWithFlash(`${PAGE}/${id}`, { type: 'success', key: 'webhook_saved' });
  });
}

/** Makes a new secret, unless the form was sent twice. */
export async function handleRotation(scope: UserScope, id: string) {
  const fields = Object.keys(Proof.shape);
  const form = await readForm(scope, fields);
  return handleForm(scope, form, Proof, fields, async (body) => {
    try {
      await orNotFound(callHost(scope, rotateWebhook, { params: { id }, body }));
    } catch (thrown) {
      if (!(thrown instanceof HostError && thrown.status === 409)) throw thrown;
    }
    return redirectWithFlash(`${PAGE}/${id}`, { type: 'success', key: 'webhook_rotated' });
  });
}

/** Deletes a webhook; one that is already deleted counts as done. */
export async function handleDeletion(scope: UserScope, id: string): Promise<Response> {
  await orAlreadyGone(callHost(scope, deleteWebhook, { params: { id } }));
  return redirectWithFlash(PAGE, { type: 'success', key: 'webhook_deleted' });
}

function bodyOf(entered: z.output<typeof WebhookForm>) {
  const { url, description, tag, currentPassword, code } = entered;
  const chosen: Record<string, unknown> = entered;
  const events = WEBHOOK_EVENTS.filter((event) => chosen[eventField(event)] === 'on');
  return { url, description, tag, events, currentPassword, code };
}

/** What is wrong with the choice of events is told at the first one. */
function formErrorsOf(refusal: HostError): FormErrors {
  if (refusal.status === 409) return { formErrors: ['webhooks_full'] };
  const { events, ...others } = refusal.errors;
  const errors = errorsOf(refusal, [...FIELDS, 'events']);
  if (!events) return errors;
  const [first = ''] = EVENT_FIELDS;
  return { ...errors, fieldErrors: { ...others, [first]: events } };
}
