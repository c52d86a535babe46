import { redirect } from '@remix-run/node';
import { z } from 'zod';
import type { ResponseOf } from '#contract/call';
import { CAMPAIGN_INPUTS, campaignInputs } from '#contract/campaign';
import { PREVIEWED_CODES, previewRetarget, Retarget, type startBulkAct } from '#contract/jobs';
import { nameOf } from '~/codes/code/codes.server';
import { CAMPAIGN_SHAPE, campaignOf } from '~/codes/create/campaign.server';
import { handleForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { errorText } from '~/i18n/messages.server';

type Target = Pick<z.input<typeof startBulkAct.body>, 'ids' | 'filter'>;

/** Fields of the form, and query parameters of the page that shows what would change. */
export const RETARGET_FIELDS = ['kind', 'target', 'find', 'replacement', ...CAMPAIGN_INPUTS];

const RetargetForm = z
  .object({
    ...CAMPAIGN_SHAPE,
    kind: z.enum(['set', 'replace', 'campaign']).catch('set'),
    target: z.string().max(2_000, 'content_too_long').default(''),
    find: z.string().max(2_000, 'content_too_long').default(''),
    replacement: z.string().max(2_000, 'content_too_long').default(''),
  })
  .transform((entered) => (entered.kind === 'set' ? { ...entered, target: entered.target.trim() } : entered))
  .superRefine((entered, context) => {
    if (entered.kind === 'campaign') {
      for (const { field, code } of campaignOf(entered).problems)
        context.addIssue({ code: 'custom', path: [field], message: code });
      return;
    }
    for (const { path, message } of Retarget.safeParse(entered).error?.issues ?? [])
      context.addIssue({ code: 'custom', path, message });
  });

/** What the address of the page asks to change; null while it only asks for the form. */
export function readRetarget(searchParams: URLSearchParams): Retarget | null {
  const given = RETARGET_FIELDS.map((name) => [name, searchParams.get(name) ?? '']);
  return retargetOf(Object.fromEntries(given));
}

function retargetOf(entered: Record<string, string>): Retarget | null {
  const { campaign, problems } = campaignOf(entered);
  return (problems.length === 0 && Retarget.safeParse({ ...entered, campaign }).data) || null;
}

/** The same as a query string. */
export function retargetQuery(retarget: Retarget): URLSearchParams {
  const { kind, ...entered } = retarget;
  const texts = 'campaign' in entered ? campaignInputs(entered.campaign) : entered;
  return new URLSearchParams({ kind, ...texts });
}

/** Checks what was entered and redirects to the page that shows what it would change, before anything is done. */
export async function handleRetarget(scope: UserScope, form: FormData, target: Target, address: string) {
  return handleForm(scope, form, RetargetForm, RETARGET_FIELDS, async (entered) => {
    const retarget = Retarget.parse({ ...entered, campaign: campaignOf(entered).campaign });
    await callHost(scope, previewRetarget, { body: { retarget, ...target } });
    return redirect(`${address}&${retargetQuery(retarget)}`, 303);
  });
}

/** What would change, in the reader's language. Redirects to the form if that cannot be said any more. */
export async function planOf(scope: UserScope, retarget: Retarget, target: Target, address: string) {
  const plan = await callHost(scope, previewRetarget, { body: { retarget, ...target } }).catch(
    (thrown: unknown) => {
      throw thrown instanceof HostError ? redirect(address) : thrown;
    },
  );
  return viewOf(plan.data, scope);
}

type Plan = ResponseOf<typeof previewRetarget>['data'];

export type RetargetPlan = ReturnType<typeof viewOf>;

function viewOf({ changed, changes, left, leftOut }: Plan, { locale }: UserScope) {
  return {
    changed,
    changes: changes.map(({ id, name, before, after }) => ({ id, name, before, after })),
    /** How many changes are not listed. */
    hidden: Math.max(0, changed - PREVIEWED_CODES),
    left,
    leftOut: leftOut.map((code) => ({
      id: code.id,
      name: nameOf(code),
      reason: errorText(locale, ['design'], code.reason) ?? code.reason,
    })),
    hiddenLeft: Math.max(0, left - PREVIEWED_CODES),
  };
}
