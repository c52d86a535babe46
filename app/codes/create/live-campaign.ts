import {
  CAMPAIGN_INPUTS,
  type CampaignWords,
  finalAddress,
  readCampaignInputs,
  SLUG_EXAMPLE,
} from '#contract/campaign';
import { completeLink } from '#contract/web-addresses';
import { textOf } from './control-value';

/** An address and what the words in its parameters stand for. */
export interface CampaignCode extends CampaignWords {
  content: string;
}

/** Where visitors are led by a form with campaign parameters; null if it has none, or they are not valid. */
export function typedAddress(form: HTMLFormElement, code?: CampaignCode): string | null {
  const text = (name: string) => textOf(form.elements.namedItem(name));
  const inputs = Object.fromEntries(CAMPAIGN_INPUTS.map((name) => [name, text(name)]));
  const read = readCampaignInputs(inputs);
  const { content, ...words } = code ?? {
    content: completeLink(text('content').trim()),
    name: text('name').trim(),
    tags: text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    slug: SLUG_EXAMPLE,
  };
  if (!('campaign' in read) || read.campaign === null || content === null) return null;
  return finalAddress(content, read.campaign, words);
}
