import { LRUCache } from 'lru-cache';
import { isStorable } from '#contract/storable';

/** The campaign parameters of an address, empty if it lacks one: `utm_source`, `utm_medium` and `utm_campaign`. */
export type VisitCampaign = [source: string, medium: string, campaign: string];

/** Longer values are cut: they are keys of the counters. */
const VALUE_CHARACTERS = 100;

const campaigns = new LRUCache<string, VisitCampaign>({ max: 5_000 });

/** What web statistics read from an address that a visitor is led to; undefined if it names no campaign. */
export function campaignOf(address: string): VisitCampaign | undefined {
  if (!address.includes('utm_')) return undefined;
  let found = campaigns.get(address);
  if (!found) {
    found = readCampaign(address);
    campaigns.set(address, found);
  }
  return found.some((value) => value !== '') ? found : undefined;
}

function readCampaign(address: string): VisitCampaign {
  const query = /^[^?#]*\?([^#]*)/.exec(address)?.[1] ?? '';
  const parameters = new URLSearchParams(query);
  const textOf = (name: string) => {
    const value = Array.from(parameters.get(name) ?? '')
      .slice(0, VALUE_CHARACTERS)
      .join('')
      .trim();
    return isStorable(value) ? value : '';
  };
  return [textOf('utm_source'), textOf('utm_medium'), textOf('utm_campaign')];
}
