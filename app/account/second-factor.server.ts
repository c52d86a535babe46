import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '#contract/second-factor';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';

const PAGE = '/user/settings/two-step';
const FIELDS = ['currentPassword', 'code'];

const text = z.string().default('');
const TwoStepForm = z.object({
  intent: z.enum(['start', 'confirm', 'renew', 'end']),
  currentPassword: text,
  code: text,
});
type Typed = Omit<z.infer<typeof TwoStepForm>, 'intent'>;

/** What a form of the page leads to: a page, or the recovery codes, which are shown in the answer and never again. */
type Outcome = Response | string[];

export async function findSecondFactor(asker: Asker, token: string) {
  return (await callHost(asker, getSecondFactor, { token })).data;
}

/** Does what the posted form of the page asks for. */
export async function handleSecondFactor(asker: Asker, token: string) {
  const form = await readForm(asker, ['intent', ...FIELDS]);
  if (!TwoStepForm.shape.intent.safeParse(form.get('intent')).success) throw data(null, { status: 400 });
  const checked = checkForm(asker, form, TwoStepForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { intent, ...typed } = checked.value;
  return orRefuse(checked.reject, FIELDS, async () => {
    try {
      const outcome = await INTENTS[intent](asker, token, typed);
      return outcome instanceof Response ? outcome : data({ recoveryCodes: outcome });
    } catch (thrown) {
      // Whatever the page showed is over by now; it shows itself as things stand.
      if (thrown instanceof HostError && thrown.status === 409) return here();
      throw thrown;
    }
  });
}

const INTENTS: Record<
  z.infer<typeof TwoStepForm>['intent'],
  (asker: Asker, token: string, typed: Typed) => Promise<Outcome>
> = {
  start: async (asker, token, { currentPassword }) => {
    await callHost(asker, startSecondFactor, { body: { currentPassword }, token });
    return here();
  },
  confirm: async (asker, token, { code }) =>
    (await callHost(asker, confirmSecondFactor, { body: { code }, token })).data.recoveryCodes,
  renew: async (asker, token, typed) =>
    (await callHost(asker, renewRecoveryCodes, { body: typed, token })).data.recoveryCodes,
  end: async (asker, token, typed) => {
    const { status, message } = await callHost(asker, endSecondFactor, { body: typed, token });
    return redirectWithNotice('/user/settings', { type: status, key: message });
  },
};

function here(): Response {
  return new Response(null, { status: 303, headers: { Location: PAGE } });
}
