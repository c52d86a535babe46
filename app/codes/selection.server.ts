import { z } from 'zod';
import { CODES_AT_ONCE, type Code, CodeFilter, selectCodes } from '#contract/codes';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';

/** Most codes that one file takes. */
const SELECTION_LIMIT = CODES_AT_ONCE;
/** An address with the ids of so many codes is taken by every server; more are posted. */
const ADDRESS_IDS = 100;

const FILTER_FIELDS = [...Object.keys(CodeFilter.shape), 'order'];
/** What names a selection, besides the filter of a list. */
export const CHOICE_FIELDS = ['id[]', 'id', 'ids', 'all'];
/** Beside `all`: ids of what the list held when its page was opened, so that parts of it stay what they were. */
export const LISTED_FIELD = 'listed';
const FORM_LIMITS = {
  maxParts: SELECTION_LIMIT + 100,
  maxFiles: 0,
};

type Fields = [name: string, value: string][];

export interface Selection {
  count: number;
  /** What names it in a form: `ids` with commas between them, or `all` with the filter of a list. */
  fields: Fields;
  /** Of a form with these fields: `get` where an address takes them. */
  method: 'get' | 'post';
  /** What names it in an address; null where none takes it. */
  address: Fields | null;
  /** Named by the filter of a list, so that it changes as the list does. */
  isFiltered: boolean;
  /** In its order; null for one that was deleted or is not of this account. */
  codes: (Code | null)[];
}

/** The named fields of a form or an address, and those of a selection. */
export async function readFields({ request, context }: RequestContext, names: string[]): Promise<FormData> {
  const known = [...CHOICE_FIELDS, LISTED_FIELD, ...FILTER_FIELDS, ...names];
  if (request.method === 'POST') return readForm({ request, context }, known, FORM_LIMITS);
  const fields = new FormData();
  for (const [name, value] of new URL(request.url).searchParams) {
    if (known.includes(name)) fields.append(name, value);
  }
  return fields;
}

/** The selected codes, possibly none; for more than `SELECTION_LIMIT`, leads back to the list, which says so. */
export async function readSelection(
  requestContext: RequestContext,
  token: string,
  form: FormData,
): Promise<Selection> {
  const selection =
    form.get('all') === '1'
      ? await selectFiltered(requestContext, token, form)
      : await selectChosen(requestContext, token, readIds(form));
  if (selection.count <= SELECTION_LIMIT) return selection;
  const values = { count: String(selection.count), most: String(SELECTION_LIMIT) };
  const notice = { type: 'error', key: 'too_many_chosen', values, persistent: true } as const;
  throw await redirectWithFlash('/user/qrcodes', notice);
}

/** Whether this request posted a selection: the loader runs beside the action then, and its address names none. */
export function isSelectionPosted(requestContext: RequestContext): boolean {
  return scopeOf(requestContext).submitted?.some(([name]) => CHOICE_FIELDS.includes(name)) === true;
}

/** Unique ids from ticked boxes, addresses, and the comma-separated field. */
export function readIds(fields: FormData | URLSearchParams): string[] {
  const listed = String(fields.get('ids') ?? '').split(',');
  return knownIds([...fields.getAll('id[]'), ...fields.getAll('id'), ...listed]);
}

function knownIds(named: FormDataEntryValue[]): string[] {
  return [...new Set(named.flatMap((id) => z.uuid().safeParse(id).data?.toLowerCase() ?? []))];
}

async function selectChosen(
  requestContext: RequestContext,
  token: string,
  ids: string[],
): Promise<Selection> {
  const fields: Fields = ids.length > 0 ? [['ids', ids.join(',')]] : [];
  const fitsAddress = ids.length <= ADDRESS_IDS;
  return {
    count: ids.length,
    fields,
    method: fitsAddress ? 'get' : 'post',
    address: fitsAddress ? fields : null,
    isFiltered: false,
    codes: await readCodes(requestContext, token, ids),
  };
}

async function selectFiltered(
  requestContext: RequestContext,
  token: string,
  form: FormData,
): Promise<Selection> {
  const given = FILTER_FIELDS.flatMap((name): Fields => {
    const value = form.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const address: Fields = [['all', '1'], ...given];
  const listed = knownIds(String(form.get(LISTED_FIELD) ?? '').split(','));
  if (listed.length > 0) {
    const fields: Fields = [...address, [LISTED_FIELD, listed.join(',')]];
    const codes = await readCodes(requestContext, token, listed);
    return { count: listed.length, fields, method: 'post', address, isFiltered: false, codes };
  }
  const { data, meta } = await callHost(requestContext, selectCodes, {
    body: Object.fromEntries(given),
    token,
  });
  return { count: meta.total, fields: address, method: 'get', address, isFiltered: true, codes: data };
}

/** None for more than one selection may have, which is refused. */
async function readCodes(
  requestContext: RequestContext,
  token: string,
  ids: string[],
): Promise<(Code | null)[]> {
  if (ids.length === 0 || ids.length > SELECTION_LIMIT) return [];
  const { data } = await callHost(requestContext, selectCodes, { body: { ids }, token });
  const found = new Map(data.map((code) => [code.id, code]));
  return ids.map((id) => found.get(id) ?? null);
}

/** A file of many codes takes longer than any page, so each call gets the time of a page. */
export function renewDeadline(requestContext: RequestContext): void {
  delete scopeOf(requestContext).deadline;
}
