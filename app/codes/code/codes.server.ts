import { redirect } from '@remix-run/node';
import {
  type Code,
  type CodeFilter,
  type CodeOrder,
  deleteCode as deleteCall,
  getCode as getCall,
  getCodeDeletion,
  listCodes as listCall,
} from '#contract/codes';
import { contentLine } from '#contract/contents/contents';
import { PAGE_SIZES } from '~/codes/list/filter';
import { callHost } from '~/http/host.server';
import { HostError, orNotFound } from '~/http/host-error.server';
import { readPageNumber, requireRows } from '~/http/page-number.server';
import type { UserScope } from '~/http/scope.server';

/** In characters; longer names are shortened in the middle. */
const NAME_LENGTH = 60;
const NAME_START = 24;

/** The requested page of the account's codes. */
export async function listCodes(scope: UserScope, { size, ...query }: CodeQuery) {
  const page = await readPageNumber(scope);
  const found = await callHost(scope, listCall, { query: { ...query, page, limit: size } });
  await requireRows(scope, page, found.data);
  return found;
}

/** Whether the account has any code, in use or archived. */
export async function hasCodes(scope: UserScope): Promise<boolean> {
  const query = { show: 'all', page: 1, limit: 1 } as const;
  return (await callHost(scope, listCall, { query })).meta.total > 0;
}

/**
 * A code of this account with its history. Redirects to the page about its deletion if it was deleted; 404
 * for any other id.
 */
export async function getCode(scope: UserScope, id: string | undefined) {
  return (await orDeletedPage(id, callHost(scope, getCall, { params: { id: id ?? '' } }))).data;
}

/** A call about a code: redirects to the page about its deletion if it was deleted; 404 page for an unknown id. */
export async function orDeletedPage<T>(id: string | undefined, asked: Promise<T>): Promise<T> {
  return orNotFound(
    asked.catch((thrown: unknown) => {
      const isDeleted = thrown instanceof HostError && thrown.code === 'code_deleted';
      throw isDeleted ? redirect(`/user/qrcodes/${id}/deleted`, 303) : thrown;
    }),
  );
}

/** A code that is already gone counts as deleted. */
export async function deleteCode(scope: UserScope, id: string | undefined): Promise<void> {
  await orNotFound(callHost(scope, deleteCall, { params: { id: id ?? '' } }));
}

/** When a code of this account was deleted, and until when it can be brought back; 404 page for any other id. */
export async function getDeletion(scope: UserScope, id: string | undefined) {
  return (await orNotFound(callHost(scope, getCodeDeletion, { params: { id: id ?? '' } }))).data;
}

/** Display name of a code: its name or, failing that, a shortened form of its content. */
export function nameOf({ name, ...code }: Pick<Code, 'name' | 'type' | 'content'>): string {
  return name ?? shortContent(code);
}

/** A code's content in one line of at most `NAME_LENGTH` characters. */
export function shortContent(code: Pick<Code, 'type' | 'content'>): string {
  return shorten(contentLine(code));
}

/** Cuts out the middle, because URLs of the same site differ at the end. */
function shorten(text: string): string {
  const characters = [...text];
  if (characters.length <= NAME_LENGTH) return text;
  const [start, end] = [characters.slice(0, NAME_START), characters.slice(NAME_START + 1 - NAME_LENGTH)];
  return `${start.join('').trimEnd()}…${end.join('').trimStart()}`;
}

/** The query of the list of codes. */
interface CodeQuery extends CodeFilter {
  order: CodeOrder;
  /** Codes per page. */
  size: number;
}

const DEFAULTS: CodeQuery = {
  search: '',
  tag: '',
  campaign: '',
  type: undefined,
  visibility: undefined,
  show: 'in_use',
  import: undefined,
  order: 'newest',
  size: PAGE_SIZES[0],
};

/** Parameters that cannot be read fall back to their defaults. */
export function readCodeQuery(search: URLSearchParams): CodeQuery {
  const { page: _page, limit: _limit, ...requested } = listCall.query.parse(Object.fromEntries(search));
  const size = Number(search.get('size'));
  return { ...DEFAULTS, ...requested, size: PAGE_SIZES.find((known) => known === size) ?? DEFAULTS.size };
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

/** Whether a parameter of the list says what holds without it. */
export function isUsual(name: string, value: string): boolean {
  return name in DEFAULTS && (value === '' || value === String(DEFAULTS[name as keyof CodeQuery]));
}

/** Whether the query filters out any codes. */
export function isNarrowed({ order: _order, size: _size, ...filter }: CodeQuery): boolean {
  return searchOf({ ...DEFAULTS, ...filter }) !== '';
}
