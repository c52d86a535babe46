import { z } from 'zod';
import {
  CAMPAIGN_INPUTS,
  type CampaignWords,
  finalAddress,
  readCampaignInputs,
  SLUG_EXAMPLE,
} from '#contract/campaign';
import { campaignShape } from '#contract/campaign-schemas';
import { isRedirected } from '#contract/contents/contents';
import { readName, readTags } from '#contract/labels';
import { completeLink } from '#contract/web-addresses';

type Inputs = Partial<Record<(typeof CAMPAIGN_INPUTS)[number], string>>;

/** Campaign parameters as typed. */
export const CAMPAIGN_SHAPE = campaignShape((units) => z.string().max(units, 'text_too_long').default(''));

export function campaignOf(entered: Inputs) {
  const read = readCampaignInputs(
    Object.fromEntries(CAMPAIGN_INPUTS.map((name) => [name, entered[name] ?? ''])),
  );
  return 'campaign' in read ? { campaign: read.campaign, problems: [] } : { campaign: null, ...read };
}

/** Errors by field; parameters of other types than links are ignored. */
export function checkCampaign({ type, ...entered }: Inputs & { type: string }) {
  return isRedirected(type) ? campaignOf(entered).problems : [];
}

/** Where a code leads with parameters as typed; null if they are none, or not valid. */
export function addressWith(entered: Inputs, content: string, words: CampaignWords): string | null {
  const { campaign } = campaignOf(entered);
  return campaign && finalAddress(content, campaign, words);
}

/** The same of a form that creates a code, as typed. */
export function typedAddress(values: Record<string, unknown> | null | undefined): string | null {
  const text = (name: string) => (typeof values?.[name] === 'string' ? String(values[name]) : '');
  const content = isRedirected(text('type')) ? completeLink(text('content').trim()) : null;
  const entered = Object.fromEntries(CAMPAIGN_INPUTS.map((name) => [name, text(name)]));
  const [named, tagged] = [readName(text('name')), readTags([text('tags')])];
  if (content === null || 'problem' in named || 'problem' in tagged) return null;
  return addressWith(entered, content, { ...named, ...tagged, slug: SLUG_EXAMPLE });
}
