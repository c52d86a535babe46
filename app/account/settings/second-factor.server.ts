import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '#contract/second-factor';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';

const PAGE = '/user/settings/two-step';
const FIELDS = ['currentPassword', 'code'];

const text = z.string().default('');
const TwoStepForm = z.object({
  intent: z.enum(['start', 'confirm', 'renew', 'end']),
  currentPassword: text,
  code: text,
});
type Entered = Omit<z.infer<typeof TwoStepForm>, 'intent'>;

/** Result of a form: a redirect, or the recovery codes, which are shown in this response and never again. */
type Outcome = Response | string[];

export async function findSecondFactor(scope: UserScope) {
  return (await callHost(scope, getSecondFactor)).data;
}

/** Handles the posted form. */
export async function handleSecondFactor(scope: UserScope) {
  const form = await readForm(scope, ['intent', ...FIELDS]);
  if (!TwoStepForm.shape.intent.safeParse(form.get('intent')).success) throw data(null, { status: 400 });
  return handleForm(scope, form, TwoStepForm, FIELDS, async ({ intent, ...entered }) => {
    try {
      const outcome = await INTENTS[intent](scope, entered);
      return outcome instanceof Response ? outcome : data({ recoveryCodes: outcome });
    } catch (thrown) {
      // The page was out of date: show its current state.
      if (thrown instanceof HostError && thrown.status === 409) return here();
      throw thrown;
    }
  });
}

const INTENTS: Record<
  z.infer<typeof TwoStepForm>['intent'],
  (scope: UserScope, entered: Entered) => Promise<Outcome>
> = {
  start: async (scope, { currentPassword }) => {
    await callHost(scope, startSecondFactor, { body: { currentPassword } });
    return here();
  },
  confirm: async (scope, { code }) =>
    (await callHost(scope, confirmSecondFactor, { body: { code } })).data.recoveryCodes,
  renew: async (scope, entered) =>
    (await callHost(scope, renewRecoveryCodes, { body: entered })).data.recoveryCodes,
  end: async (scope, entered) => {
    const { status, message } = await callHost(scope, endSecondFactor, { body: entered });
    return redirectWithFlash('/user/settings', { type: status, key: message });
  },
};

function here(): Response {
  return new Response(null, { status: 303, headers: { Location: PAGE } });
}
