import {
  type Campaign,
  type CampaignWords,
  finalAddress,
  parameterNames,
  resolveCampaign,
  withParameters,
} from '#contract/campaign';
import { isRedirected } from '#contract/contents/contents';
import type { Routing } from '#contract/routing-rules';
import { displayedContent, finalProblem, type LinkRules } from '#host/codes/contents/contents';
import { targetsOf } from '#host/codes/routing/routing';
import type { codes } from '#host/db/codes.tables';
import { invalidField, type MessageCode } from '#host/http/errors';

type Row = Pick<typeof codes.$inferSelect, 'type' | 'content' | 'name' | 'slug'> & {
  campaign?: Campaign | null | undefined;
  tags: readonly string[];
  routing?: Routing | null | undefined;
};

/** Where a code leads by its content and its parameters, as its owner reads it; null if it is no link. */
export function finalAddressOf(code: Omit<Row, 'routing'>): string | null {
  if (!isRedirected(code.type)) return null;
  return finalAddress(displayedContent(code), code.campaign ?? null, code);
}

/** Parameters as in the history of a code, in one order: the database has its own. */
export function campaignText(campaign: Campaign | null): string {
  return campaign ? JSON.stringify(campaign, parameterNames(campaign)) : '';
}

/**
 * What is wrong with the addresses that a code leads to with its parameters. Its owner learns of `rules` when the
 * parameters or the address change; a name or a tag is only too long for them.
 */
export function campaignProblem(code: Row, rules?: LinkRules): MessageCode | null {
  if (!code.campaign) return null;
  const address = finalAddressOf(code);
  if (address === null) return 'campaign_unsupported';
  const targets = targetsOf(withCampaign(code.routing ?? null, code.campaign, code));
  for (const target of [address, ...targets]) {
    const problem = finalProblem(target, rules);
    if (problem) return problem;
  }
  return null;
}

/** Refuses a field of a code whose parameters do not fit its addresses. */
export function requireCampaign(code: Row, field: string, rules?: LinkRules): void {
  const problem = campaignProblem(code, rules);
  if (problem) throw invalidField(field, problem);
}

/**
 * The targets of a routing with the parameters of their code. What a target of a rule or of an end says itself is meant for
 * it alone and stays; that of a schedule is to become the content.
 */
export function withCampaign(
  routing: Routing | null,
  campaign: Campaign,
  words: CampaignWords,
): Routing | null {
  if (!routing) return null;
  const parameters = resolveCampaign(campaign, words);
  const added = (target: string) => withParameters(target, parameters, { keepsOwn: true });
  const { rules, schedule, pause, end } = routing;
  return {
    rules: rules.map((rule) => ({
      ...rule,
      variants: rule.variants.map((variant) => ({ ...variant, target: added(variant.target) })),
    })),
    schedule: schedule && { ...schedule, target: withParameters(schedule.target, parameters) },
    pause,
    end: end && { ...end, target: end.target && added(end.target) },
  };
}
