import {
  CAMPAIGN_INPUTS,
  type Campaign,
  finalAddress,
  readCampaignInputs,
  SLUG_EXAMPLE,
} from '#contract/campaign';
import {
  type CodeFields,
  type CodeType,
  checkContent,
  compose,
  isRedirected,
  linksOf,
  parseStored,
} from '#contract/contents/contents';
import type { DraftFields } from '#contract/drafts';
import { readName, readTags } from '#contract/labels';
import { createOwnCodeFinder } from '#contract/own-codes';
import { type Style, styleOfFields } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { targetOf } from '#contract/web-addresses';
import { isAtHost } from '#host/codes/blocks/blocked-hosts';
import type { Deps } from '#host/http/deps';
import type { MessageCode } from '#host/http/errors';
import { HOSTED } from './hosted-types';

/** The base URLs that serve our own codes. */
type Own = Pick<Deps['settings'], 'publicUrl' | 'shortUrl' | 'hostPublicUrl'>;
/** The rules for links besides their syntax. */
export type LinkRules = Own & {
  /** Hosts that no code may link to, subdomains included. */
  blockedHosts: ReadonlySet<string>;
};
type Texts = { content: string; subject: string; body: string };
/** Message codes of what is wrong, by field. */
type Refused = { refused: Record<string, MessageCode[]> };
type Read = { values: Texts } | Refused;

/** The base URLs under which our own codes open. */
export function codeUrls({ publicUrl, shortUrl, hostPublicUrl }: Own): string[] {
  return [publicUrl, shortUrl, hostPublicUrl];
}

/** Reads the content of a code as it is stored, from an API call; that of a Wi-Fi code is its `WIFI:` string. */
export function readContent(type: CodeType, texts: Texts, rules: LinkRules): Read {
  const parsed = parseStored(type, texts);
  if ('problem' in parsed) return { refused: { content: [parsed.problem] } };
  return readFields(parsed.fields, rules);
}

/** Reads the fields of the creation form. */
export function readFields(fields: CodeFields | DraftFields, rules: LinkRules): Read {
  const findOwnCode = createOwnCodeFinder(codeUrls(rules));
  const errors: Record<string, MessageCode[]> = {};
  for (const { field, code } of checkContent(fields, (link) => findOwnCode(link) !== null)) {
    errors[field] = [...(errors[field] ?? []), code];
  }
  if (Object.keys(errors).length > 0) return { refused: errors };
  const { content, ...texts } = compose(fields);
  for (const { field, link } of linksOf({ type: fields.type, content }))
    if (isAtHost(targetOf(link), rules.blockedHosts)) errors[field] = ['link_blocked'];
  if (Object.keys(errors).length > 0) return { refused: errors };
  return { values: { content: HOSTED[fields.type].stored?.(content) ?? content, ...texts } };
}

/** Reads an address that a code of any type may lead to, as it is stored: by the rules of a link's content. */
export function readTarget(
  entered: string,
  rules: LinkRules,
): { target: string } | { problems: MessageCode[] } {
  const read = readContent('link', { content: entered, subject: '', body: '' }, rules);
  return 'refused' in read ? { problems: read.refused.content ?? [] } : { target: read.values.content };
}

/** What is wrong with an address that has got campaign parameters. Without `own`, links to codes are not checked. */
export function finalProblem(address: string, own?: Own): MessageCode | null {
  const findOwnCode = own ? createOwnCodeFinder(codeUrls(own)) : () => null;
  const fields = { type: 'link', content: address, subject: '', body: '' } as const;
  const parsed = parseStored('link', fields);
  const problems =
    'fields' in parsed ? checkContent(parsed.fields, (link) => findOwnCode(link) !== null) : [];
  const [code] = problems.map(({ code }) => code);
  return code === 'content_too_long' ? 'campaign_too_long' : (code ?? null);
}

/** Such an address as its owner would write it. */
export function displayedTarget(target: string): string {
  return displayedContent({ type: 'link', content: target });
}

type DraftValues = Texts & {
  name: string | null;
  tags: string[];
  style: Style | null;
  campaign: Campaign | null;
};

/** Reads a saved design with its style and name. */
export function readDraft(fields: DraftFields, rules: LinkRules): { values: DraftValues } | Refused {
  const read = readFields(fields, rules);
  const [name, tags] = [readName(fields.name), readTags([fields.tags])];
  const style = readTypedStyle(fields.style);
  const campaign = readTypedCampaign(fields);
  const errors: Record<string, MessageCode[]> = {
    ...('refused' in read && read.refused),
    ...('problem' in name && { name: [name.problem] }),
    ...('problem' in tags && { tags: [tags.problem] }),
    ...('refused' in style && style.refused),
    ...('refused' in campaign && campaign.refused),
  };
  if (
    'refused' in read ||
    'problem' in name ||
    'problem' in tags ||
    'refused' in style ||
    'refused' in campaign
  )
    return { refused: errors };
  const values = { ...read.values, ...name, ...tags, ...style, ...campaign };
  const final = finalAddress(values.content, values.campaign, { ...values, slug: SLUG_EXAMPLE });
  const problem = values.campaign && finalProblem(final, rules);
  return problem ? { refused: { utm_campaign: [problem] } } : { values };
}

/** Codes of other types have none, whatever was typed. */
function readTypedCampaign(fields: DraftFields): { campaign: Campaign | null } | Refused {
  if (!isRedirected(fields.type)) return { campaign: null };
  const entered = CAMPAIGN_INPUTS.map((name) => [name, fields[name]]);
  const read = readCampaignInputs(Object.fromEntries(entered));
  if ('campaign' in read) return read;
  return { refused: Object.fromEntries(read.problems.map(({ field, code }) => [field, [code]])) };
}

function readTypedStyle(entered: DraftFields['style']): { style: Style | null } | Refused {
  if (!entered) return { style: null };
  const { readyMade: _chosen, ...fields } = entered;
  const read = StyleInput.safeParse(styleOfFields(fields));
  if (read.success) return { style: read.data };
  const errors: Record<string, MessageCode[]> = {};
  for (const { path, message } of read.error.issues) errors[String(path[0])] = [message as MessageCode];
  return { refused: errors };
}

/**
 * A stored content as its owner would write it. Links used to be stored encoded, and browsers send the domain of an
 * e-mail address so: `xn--` and `%C3%A9` are turned back into letters wherever that does not change the target.
 */
export function displayedContent({ type, content }: { type: CodeType; content: string }): string {
  return HOSTED[type].displayed?.(content) ?? content;
}

/** A code with its content as its owner would write it. */
export function withDisplayedContent<Code extends { type: CodeType; content: string }>(code: Code): Code {
  return { ...code, content: displayedContent(code) };
}
