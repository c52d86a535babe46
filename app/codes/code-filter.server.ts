import { type CodeFilter, type CodeOrder, listCodes } from '#contract/codes';
import { PAGE_SIZES } from './page-sizes';

/** The query of the list of codes. */
export interface CodeQuery extends CodeFilter {
  order: CodeOrder;
  /** Codes per page. */
  size: number;
}

const DEFAULTS: CodeQuery = {
  search: '',
  tag: '',
  type: undefined,
  visibility: undefined,
  show: 'in_use',
  order: 'newest',
  size: PAGE_SIZES[0],
};

/** Parameters that cannot be read fall back to their defaults. */
export function readCodeQuery(search: URLSearchParams): CodeQuery {
  const { page: _page, limit: _limit, ...asked } = listCodes.query.parse(Object.fromEntries(search));
  const size = Number(search.get('size'));
  return { ...DEFAULTS, ...asked, size: PAGE_SIZES.find((known) => known === size) ?? DEFAULTS.size };
}

/** The query string of the same list; empty for the default one. */
export function searchOf(query: CodeQuery): string {
  const search = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = query[name as keyof CodeQuery];
    if (value && value !== usual) search.set(name, String(value));
  }
  return search.toString();
}

/** Whether the query filters out any codes. */
export function isNarrowed({ order: _order, size: _size, ...filter }: CodeQuery): boolean {
  return searchOf({ ...DEFAULTS, ...filter }) !== '';
}
