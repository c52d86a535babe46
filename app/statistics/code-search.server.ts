import { type FoundCode, searchCodes } from '#contract/statistics';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { queryOf, type StatisticsFilter } from './filter.server';
import type { NameOf } from './rankings.server';

const LONGEST_TEXT = 255;

/** The search text, and where in the list of codes it continues. */
export interface CodeSearch {
  text: string;
  before: number | undefined;
}

export function readCodeSearch(search: URLSearchParams): CodeSearch {
  const text = (search.get('find') ?? '').replaceAll('\u0000', '').trim().slice(0, LONGEST_TEXT).trim();
  const before = Number(search.get('before'));
  return { text, before: Number.isInteger(before) && before > 0 && before < 2 ** 31 ? before : undefined };
}

interface Found {
  codes: FoundCode[];
  next: number | null;
}

/** The newest codes that contain the text. */
export async function findCodes(scope: UserScope, { text, before }: CodeSearch): Promise<Found> {
  if (text === '') return { codes: [], next: null };
  return (await callHost(scope, searchCodes, { query: { text, before } })).data;
}

/** The search as the page shows it: each code found links to its figures with the same filter. */
export function codeSearchView(
  { text, before }: CodeSearch,
  { codes, next }: Found,
  filter: StatisticsFilter,
  nameOf: NameOf,
) {
  const address = (requested: StatisticsFilter, more: Record<string, string>) =>
    `/user/analytics?${withMore(queryOf(requested), more)}`;
  const ofAllCodes = { ...filter, tag: null, campaign: undefined };
  return {
    text,
    /** Whether newer codes have already been searched. */
    isContinued: before !== undefined,
    codes: codes.map((code) => ({
      id: code.id,
      name: nameOf(code),
      isShown: code.id === filter.code,
      to: address(ofAllCodes, { code: code.id }),
    })),
    /** URL that searches older codes; null when there are none. */
    older: next === null ? null : `${address(filter, { find: text, before: String(next) })}#found`,
    /** The rest of the filter, kept by the search. */
    kept: [...new URLSearchParams(queryOf(filter))],
  };
}

export type CodeSearchView = ReturnType<typeof codeSearchView>;

function withMore(query: string, more: Record<string, string>): URLSearchParams {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) all.set(name, value);
  return all;
}
