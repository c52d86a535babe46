import { LRUCache } from 'lru-cache';
import { campaignInAddress, type VisitCampaign } from '#contract/campaign';

const campaigns = new LRUCache<string, VisitCampaign>({ max: 5_000 });

/** The campaign of an address that a visitor is led to; undefined if it names none. */
export function campaignOf(address: string): VisitCampaign | undefined {
  if (!address.includes('utm_')) return undefined;
  let found = campaigns.get(address);
  if (!found) {
    found = campaignInAddress(address);
    campaigns.set(address, found);
  }
  return found.some((value) => value !== '') ? found : undefined;
}
