import { z } from 'zod';
import {
  CAMPAIGN_INPUTS,
  type Campaign,
  type CampaignInput,
  readCampaign,
  TYPED_PARAMETER,
} from './campaign';

/** Null or empty for none. Each refused parameter is a field of its own. */
export const CampaignSchema = z
  .record(z.string().max(TYPED_PARAMETER), z.string().max(TYPED_PARAMETER, 'campaign_value_too_long'))
  .nullable()
  .transform((entered, context): Campaign | null => {
    const read = readCampaign(entered ?? {});
    if ('campaign' in read) return read.campaign;
    for (const { field, code } of read.problems)
      context.addIssue({ code: 'custom', path: [field], message: code });
    return z.NEVER;
  })
  .meta({
    description:
      'Parameters that are added to the address that a link code leads to, by name: `utm_source`, `utm_medium`, `utm_campaign`, `utm_term`, `utm_content` and up to five others. In their values, `{name}` stands for the name of the code, `{tag}` for its first tag, and `{id}` for the eight characters of its short address. A parameter of the address itself gets the value given here; null for none.',
  });

/** Each input as typed. */
export function campaignShape<Text extends z.ZodType>(
  text: (units: number) => Text,
): Record<CampaignInput, Text> {
  return Object.fromEntries(CAMPAIGN_INPUTS.map((name) => [name, text(TYPED_PARAMETER)])) as Record<
    CampaignInput,
    Text
  >;
}
