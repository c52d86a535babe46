import { lengthOf } from './contents/text-rules';
import { isStorable } from './storable';

// Parameters that are added to the address that a code leads to, so that the statistics of its site tell where visitors
// come from. Browsers load this, so it must not need Node or a library.

/** The names that web statistics know, in the order in which they are written. */
export const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
/** Names of inputs; the last one holds further parameters: `ref=shop&page={id}`, with `%26` for `&` in a value. */
export const CAMPAIGN_INPUTS = [...UTM_NAMES, 'utm_more'] as const;
export type CampaignInput = (typeof CAMPAIGN_INPUTS)[number];
/** Most further parameters. */
const OTHERS_LIMIT = 5;
const VALUE_LIMIT = 100;
const NAME = /^[a-z\d][\w.~-]{0,39}$/i;
/** Most UTF-16 code units read from an input, valid or not. */
export const TYPED_PARAMETER = 1_000;

/** Values by name, with `{name}`, `{tag}` and `{id}` as typed. */
export type Campaign = Record<string, string>;

export type CampaignProblem =
  | 'campaign_equals_missing'
  | 'campaign_name_invalid'
  | 'campaign_name_twice'
  | 'campaign_value_invalid'
  | 'campaign_value_too_long'
  | 'campaign_word_unknown'
  | 'campaign_too_many';

/** What stands for the words in braces. */
export interface CampaignWords {
  name: string | null;
  /** The first one is used. */
  tags: readonly string[];
  /** The eight characters of the short address. */
  slug: string;
}

/** Stands for those that a new code will get. */
export const SLUG_EXAMPLE = 'XXXXXXXX';

type Read = { campaign: Campaign | null } | { problems: { field: string; code: CampaignProblem }[] };

/** Parameters as stored, without empty ones and in one order, so that equal ones are equal texts; or what is wrong. */
export function readCampaign(entered: Campaign): Read {
  const entries = Object.entries(entered)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  const problems = entries.flatMap(([name, value]) => {
    const code = NAME.test(name) ? valueProblem(value) : ('campaign_name_invalid' as const);
    return code ? [{ field: name, code }] : [];
  });
  const [first, ...others] = entries.map(([name]) => name).filter((name) => placeOf(name) < 0);
  if (first !== undefined && others.length >= OTHERS_LIMIT)
    problems.push({ field: first, code: 'campaign_too_many' });
  if (problems.length > 0) return { problems };
  return { campaign: entries.length > 0 ? Object.fromEntries(entries.sort(byName)) : null };
}

function valueProblem(value: string): CampaignProblem | null {
  if (!isStorable(value) || /\p{Cc}/u.test(value)) return 'campaign_value_invalid';
  if (lengthOf(value) > VALUE_LIMIT) return 'campaign_value_too_long';
  return /\{(?!(?:name|tag|id)\})[^{}]*\}/.test(value) ? 'campaign_word_unknown' : null;
}

function placeOf(name: string): number {
  return UTM_NAMES.indexOf(name as (typeof UTM_NAMES)[number]);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  const [placeA, placeB] = [placeOf(a), placeOf(b)].map((place) => (place < 0 ? UTM_NAMES.length : place));
  return (placeA ?? 0) - (placeB ?? 0) || (a < b ? -1 : 1);
}

/** Names of parameters in the order in which they are written. */
export function parameterNames(campaign: Campaign): string[] {
  return Object.entries(campaign)
    .sort(byName)
    .map(([name]) => name);
}

/** Parameters as stored, from the inputs of a form; problems are those of the inputs. */
export function readCampaignInputs(inputs: Partial<Record<CampaignInput, string>>): Read {
  const { utm_more = '', ...known } = inputs;
  const parts = utm_more.split('&').filter((part) => part.trim() !== '');
  if (parts.some((part) => !part.includes('=')))
    return { problems: [{ field: 'utm_more', code: 'campaign_equals_missing' }] };
  const others = parts.map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').replace(/%2[56]/g, decodeURIComponent)] as const;
  });
  const names = [...Object.keys(known), ...others.map(([name]) => name)];
  if (new Set(names).size < names.length)
    return { problems: [{ field: 'utm_more', code: 'campaign_name_twice' }] };
  const read = readCampaign({ ...known, ...Object.fromEntries(others) });
  if ('campaign' in read) return read;
  const problems = read.problems.map(({ field, code }) => ({
    field: placeOf(field) < 0 ? 'utm_more' : field,
    code,
  }));
  return {
    problems: problems.filter(({ field }, at) => problems.findIndex((one) => one.field === field) === at),
  };
}

/** What the inputs of a form hold for stored parameters. */
export function campaignInputs(campaign: Campaign | null): Record<CampaignInput, string> {
  const known = UTM_NAMES.map((name) => [name, campaign?.[name] ?? '']);
  const others = Object.entries(campaign ?? {}).filter(([name]) => placeOf(name) < 0);
  const more = others.map(([name, value]) => `${name}=${escaped(value)}`).join('&');
  return Object.fromEntries([...known, ['utm_more', more]]);
}

/** As little as possible, so that `50%` stays as it was typed. */
function escaped(value: string): string {
  return value.replace(/&|%(?=2[56])/g, encodeURIComponent);
}

/** The parameters with words in place of braces, in their order; one that has no value then is left out. */
export function resolveCampaign(campaign: Campaign, { name, tags, slug }: CampaignWords): [string, string][] {
  const words: Record<string, string> = { name: name ?? '', tag: tags[0] ?? '', id: slug };
  return Object.entries(campaign)
    .sort(byName)
    .map(([key, value]): [string, string] => {
      return [key, value.replace(/\{(name|tag|id)\}/g, (_, word: string) => words[word] ?? '').trim()];
    })
    .filter(([, value]) => value !== '');
}

/**
 * An address with these parameters in its query. One that it has already gets the new value, once, in its place; or keeps
 * its own if `keepsOwn`. Everything else in it stays as it is, byte for byte.
 */
export function withParameters(
  address: string,
  parameters: readonly (readonly [string, string])[],
  { keepsOwn = false } = {},
): string {
  if (parameters.length === 0) return address;
  const [, before = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const missing = new Map(parameters);
  const pieces = (query?.slice(1).split('&') ?? []).flatMap((piece) => {
    const name = decoded(piece.split('=', 1)[0] ?? '');
    const known = parameters.find(([one]) => one === name);
    if (!known) return [piece];
    const isFirst = missing.delete(known[0]);
    if (keepsOwn) return [piece];
    return isFirst ? [written(known)] : [];
  });
  const added = [...missing].map(written);
  // An empty last piece is what follows a `?` or `&` at the end.
  const kept = added.length > 0 && pieces.at(-1) === '' ? pieces.slice(0, -1) : pieces;
  const path = /^https?:\/\/[^/]*$/i.test(before) ? `${before}/` : before;
  return `${path}?${[...kept, ...added].join('&')}${fragment}`;
}

function written([name, value]: readonly [string, string]): string {
  return `${name}=${encodeURIComponent(value).replaceAll("'", '%27')}`;
}

/** The name of a parameter in a query (application/x-www-form-urlencoded). */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** Where a code leads by its content. */
export function finalAddress(address: string, campaign: Campaign | null, words: CampaignWords): string {
  return campaign ? withParameters(address, resolveCampaign(campaign, words)) : address;
}

/** `utm_source`, `utm_medium` and `utm_campaign` of an address, empty if it lacks one. */
export type VisitCampaign = [source: string, medium: string, campaign: string];

/** What web statistics read from an address that a visitor is led to; longer values are cut. */
export function campaignInAddress(address: string): VisitCampaign {
  const query = /^[^?#]*\?([^#]*)/.exec(address)?.[1] ?? '';
  const parameters = new URLSearchParams(query);
  const textOf = (name: (typeof UTM_NAMES)[number]) => {
    const value = Array.from(parameters.get(name) ?? '')
      .slice(0, VALUE_LIMIT)
      .join('')
      .trim();
    return isStorable(value) ? value : '';
  };
  return [textOf('utm_source'), textOf('utm_medium'), textOf('utm_campaign')];
}
