import { FOUND_AT_ONCE, type FoundCode, searchCodes } from '#contract/statistics-codes';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { queryOf, type StatisticsFilter } from './filter.server';
import type { NameOf } from './rankings.server';

const LONGEST_TEXT = 255;
/** Pieces of the list that one page looks through: enough for 200,000 codes. */
const MOST_CALLS = 20;

/** What a search is for, and where in the list of codes it goes on. */
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

/** The newest codes with the text in them; piece by piece, so that no call of the host takes long. */
export async function findCodes(
  requestContext: RequestContext,
  token: string,
  { text, before }: CodeSearch,
): Promise<Found> {
  const found: Found = { codes: [], next: before ?? null };
  if (text === '') return found;
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const { data } = await callHost(requestContext, searchCodes, {
      query: { text, before: found.next ?? undefined },
      token,
    });
    found.codes.push(...data.codes);
    found.next = data.next;
    if (data.next === null || found.codes.length >= FOUND_AT_ONCE) break;
  }
  return found;
}

/** The search as the page shows it: each code found links to its own figures under the same filter. */
export function codeSearchView(
  { text, before }: CodeSearch,
  { codes, next }: Found,
  filter: StatisticsFilter,
  nameOf: NameOf,
) {
  const address = (asked: StatisticsFilter, more: Record<string, string>) =>
    `/user/analytics?${withMore(queryOf(asked), more)}`;
  const ofAllCodes = { ...filter, tag: null };
  return {
    text,
    isContinued: before !== undefined,
    codes: codes.map((code) => ({
      id: code.id,
      name: nameOf(code),
      isShown: code.id === filter.code,
      to: address(ofAllCodes, { code: code.id }),
    })),
    older: next === null ? null : `${address(filter, { find: text, before: String(next) })}#found`,
    /** The rest of the filter, which the search keeps. */
    kept: [...new URLSearchParams(queryOf(filter))],
  };
}

function withMore(query: string, more: Record<string, string>): URLSearchParams {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) all.set(name, value);
  return all;
}
