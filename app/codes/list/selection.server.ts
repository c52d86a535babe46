import { z } from 'zod';
import { CODES_AT_ONCE, type Code, CodeFilter, CodeOrder, selectCodes } from '#contract/codes';
import { LOCALES } from '#contract/locales';
import { nameOf } from '~/codes/code/codes.server';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { formatNumber } from '~/ui/format';
import { SORTS, type Sort } from './selection';

/** Maximum number of codes in one file. */
export const SELECTION_LIMIT = CODES_AT_ONCE;
/** Every server accepts a URL with this many ids; larger selections are posted. */
const ADDRESS_IDS = 100;

const FILTER_FIELDS = [...Object.keys(CodeFilter.shape), 'order'];
/** Fields that identify a selection, besides a list's filter. */
export const CHOICE_FIELDS = ['id[]', 'id', 'ids', 'all'];
/**
 * Sent along with `all`: the ids in the list when its page was opened, so that the parts of a file stay
 * consistent.
 */
const LISTED_FIELD = 'listed';
/** The order of the codes in a file. */
const SORT_FIELD = 'sort';
/** Sent along with `listed`: the order these ids are in. */
const LISTED_SORT_FIELD = 'listedSort';
const FORM_LIMITS = {
  maxParts: SELECTION_LIMIT + 100,
  maxFiles: 0,
};

type Fields = [name: string, value: string][];

/** The codes of one file, of a selection that may take several. */
export interface FilePart {
  /** From 1. */
  part: number;
  /** Maximum number of codes in a file of its kind. */
  size: number;
}

export interface Selection {
  count: number;
  /** Form fields that identify it: comma-separated `ids`, or `all` with a list's filter. */
  fields: Fields;
  /** Method for a form with these fields: `get` if they fit in a URL. */
  method: 'get' | 'post';
  /** Query parameters that identify it; null if they do not fit in a URL. */
  address: Fields | null;
  /** Identified by a list's filter, so that it changes as the list does. */
  isFiltered: boolean;
  /**
   * In the order of the selection; null for a code that was deleted or belongs to another account. Of more than
   * `SELECTION_LIMIT` only those of the part asked for.
   */
  codes: (Code | null)[];
}

/**
 * Reads the named fields and those of a selection, from the posted form or from the query; the loader that runs with
 * the action, which has read the form, reads the query.
 */
export async function readFields(scope: Scope, names: string[]): Promise<FormData> {
  const known = [...CHOICE_FIELDS, LISTED_FIELD, LISTED_SORT_FIELD, SORT_FIELD, ...FILTER_FIELDS, ...names];
  if (scope.request.method === 'POST' && !scope.submitted) return readForm(scope, known, FORM_LIMITS);
  const fields = new FormData();
  for (const [name, value] of scope.url.searchParams) {
    if (known.includes(name)) fields.append(name, value);
  }
  return fields;
}

/**
 * The selected codes, possibly none; for more than `SELECTION_LIMIT`, throws a redirect to the list with a
 * notice. With a `part`, a selection by filter may be of any size.
 */
export async function readSelection(scope: UserScope, form: FormData, part?: FilePart): Promise<Selection> {
  const found =
    form.get('all') === '1'
      ? await selectFiltered(scope, form, part)
      : await selectChosen(scope, readIds(form));
  const selection = { ...found, codes: sorted(found, form, LOCALES[scope.locale].tag) };
  if (selection.count <= SELECTION_LIMIT || (part && selection.isFiltered)) return selection;
  const values = {
    count: String(selection.count),
    most: formatNumber(SELECTION_LIMIT, LOCALES[scope.locale].tag),
  };
  const notice = { type: 'error', key: 'too_many_chosen', values, persistent: true } as const;
  throw await redirectWithFlash('/user/qrcodes', notice);
}

/** The order that the fields name, or else that of names. */
export function readSort(fields: FormData | URLSearchParams): Sort {
  return SORTS.find((known) => known === fields.get(SORT_FIELD)) ?? 'name';
}

/** Numbers in names count as numbers: table 2 comes before table 10. Codes that are gone come last. */
function sorted({ count, codes }: Selection, form: FormData, tag: string): Selection['codes'] {
  const sort = readSort(form);
  // The host has sorted the parts of a list that is too long to read as a whole.
  const isSorted = count > SELECTION_LIMIT || form.get(LISTED_SORT_FIELD) === sort;
  if (sort === 'list' || isSorted) return codes;
  const { compare } = new Intl.Collator(tag, { numeric: true });
  return [...codes].sort((a, b) => {
    if (!a || !b) return Number(!a) - Number(!b);
    return sort === 'name' ? compare(nameOf(a), nameOf(b)) : b.createdAt.localeCompare(a.createdAt);
  });
}

/** Pins the codes of a selection that takes several files: they are downloaded one by one while the list may change. */
export function listedFields(codes: Code[], sort: Sort): Fields {
  return [
    [LISTED_FIELD, codes.map(({ id }) => id).join(',')],
    [LISTED_SORT_FIELD, sort],
  ];
}

/**
 * Whether this request posted a selection. The loader that runs with the action does not find one in its URL
 * then.
 */
export function isSelectionPosted(scope: Scope): boolean {
  return scope.submitted?.some(([name]) => CHOICE_FIELDS.includes(name)) === true;
}

/** Unique ids from ticked boxes, the query, and the comma-separated field. */
export function readIds(fields: FormData | URLSearchParams): string[] {
  const listed = String(fields.get('ids') ?? '').split(',');
  return knownIds([...fields.getAll('id[]'), ...fields.getAll('id'), ...listed]);
}

function knownIds(named: FormDataEntryValue[]): string[] {
  return [...new Set(named.flatMap((id) => z.uuid().safeParse(id).data?.toLowerCase() ?? []))];
}

async function selectChosen(scope: UserScope, ids: string[]): Promise<Selection> {
  const fields: Fields = ids.length > 0 ? [['ids', ids.join(',')]] : [];
  const fitsAddress = ids.length <= ADDRESS_IDS;
  return {
    count: ids.length,
    fields,
    method: fitsAddress ? 'get' : 'post',
    address: fitsAddress ? fields : null,
    isFiltered: false,
    codes: await readCodes(scope, ids),
  };
}

async function selectFiltered(scope: UserScope, form: FormData, part?: FilePart): Promise<Selection> {
  const given = FILTER_FIELDS.flatMap((name): Fields => {
    const value = form.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const address: Fields = [['all', '1'], ...given];
  const listed = knownIds(String(form.get(LISTED_FIELD) ?? '').split(','));
  if (listed.length > 0) {
    const fields: Fields = [
      ...address,
      [LISTED_FIELD, listed.join(',')],
      [LISTED_SORT_FIELD, String(form.get(LISTED_SORT_FIELD) ?? '')],
    ];
    const codes = await readCodes(scope, listed);
    return { count: listed.length, fields, method: 'post', address, isFiltered: false, codes };
  }
  const entered = Object.fromEntries(given);
  const filter = { ...CodeFilter.parse(entered), order: CodeOrder.catch('newest').parse(entered.order) };
  const whole = await callHost(scope, selectCodes, { body: filter });
  const sort = readSort(form);
  const order = sort === 'list' ? {} : { order: sort };
  const body = part && { ...filter, ...order, part: part.part, partSize: part.size };
  const { data, meta } =
    body && whole.meta.total > SELECTION_LIMIT ? await callHost(scope, selectCodes, { body }) : whole;
  return { count: meta.total, fields: address, method: 'get', address, isFiltered: true, codes: data };
}

/** Empty for more than `SELECTION_LIMIT` ids, which `readSelection` refuses. */
async function readCodes(scope: UserScope, ids: string[]): Promise<(Code | null)[]> {
  if (ids.length === 0 || ids.length > SELECTION_LIMIT) return [];
  const { data } = await callHost(scope, selectCodes, { body: { ids } });
  const found = new Map(data.map((code) => [code.id, code]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Gives each host call the full time of a page, because a file of many codes takes longer than any page. */
export function renewDeadline(scope: Scope): void {
  delete scope.deadline;
}

/** The files that a selection takes, as the first and last number of their codes. */
export function partsOf(count: number, size: number): { from: number; to: number }[] {
  return Array.from({ length: countParts(count, size) }, (_, n) => ({
    from: n * size + 1,
    to: Math.min((n + 1) * size, count),
  }));
}

export function countParts(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}

/** The part that the fields name, or else the first. */
export function readPart(fields: FormData, size: number): FilePart {
  const named = String(fields.get('part') ?? '');
  return { part: (/^\d{1,4}$/.test(named) && Number(named)) || 1, size };
}

/** The codes that go into one file. */
export function codesOfPart({ count, codes }: Selection, { part, size }: FilePart): Selection['codes'] {
  return count > SELECTION_LIMIT ? codes : codes.slice((part - 1) * size, part * size);
}
