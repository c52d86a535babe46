import { data } from '@remix-run/node';
import { z } from 'zod';
import { campaignInAddress, campaignInputs } from '#contract/campaign';
import { CampaignSchema } from '#contract/campaign-schemas';
import type { Code, updateCode } from '#contract/codes';
import { addressWith, CAMPAIGN_SHAPE, campaignOf } from '~/codes/create/campaign.server';
import { reportProblems } from '~/codes/create/field-checks.server';
import { checkForm, invalid } from '~/http/form.server';
import type { UserScope } from '~/http/scope.server';

type Change = z.input<typeof updateCode.body>;

const SLUG_LENGTH = 8;

const TypedForm = z
  .object(CAMPAIGN_SHAPE)
  .superRefine(reportProblems((fields) => campaignOf(fields).problems));

export const CampaignForm: z.ZodType<Change> = TypedForm.transform((fields) => ({
  campaign: campaignOf(fields).campaign,
}));

/** Parameters as stored in the history: JSON, or nothing. */
export const RestoreCampaignForm: z.ZodType<Change> = z.object({
  campaign: z
    .string()
    .default('')
    .transform((text, context) => {
      const read = CampaignSchema.safeParse(parseJson(text));
      if (read.success) return read.data;
      context.addIssue({ code: 'custom', message: 'parameters_invalid' });
      return z.NEVER;
    }),
});

function parseJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** What the form for the parameters of a code starts with. */
export function campaignView(code: Code) {
  const { content, name, tags, link, campaign, finalAddress } = code;
  const slug = link.slice(-SLUG_LENGTH);
  const address = campaign && finalAddress;
  const [, , named] = campaignInAddress(finalAddress ?? '');
  return { values: campaignInputs(campaign), address, named, code: { content, name, tags, slug } };
}

/** The page with what was typed and where it would lead; nothing is saved. */
export function showAddress(scope: UserScope, form: FormData, code: Code) {
  const checked = checkForm(scope, form, TypedForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { content, ...words } = campaignView(code).code;
  const finalAddress = addressWith(checked.value, content, words) ?? content;
  return data({ lastResult: checked.kept, finalAddress });
}
