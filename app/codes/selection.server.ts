import { z } from 'zod';
import { type Code, getCode, listCodes } from '#contract/codes';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';

/** Most codes that one file takes. */
const SELECTION_LIMIT = 1_000;
/** An address with the ids of so many codes is taken by every server; more are posted. */
const ADDRESS_IDS = 100;
const PAGE_SIZE = 100;
const AHEAD = 8;

const { page: _page, limit: _limit, ...filter } = listCodes.query.shape;
const FILTER_FIELDS = Object.keys(filter);
/** What names a selection, besides the filter of a list. */
export const CHOICE_FIELDS = ['id[]', 'id', 'ids', 'all'];
const FORM_LIMITS = {
  maxTotalSize: 256 * 1024,
  maxParts: SELECTION_LIMIT + 100,
  maxFiles: 0,
  maxFileSize: 0,
};

export interface Selection {
  count: number;
  /** What names it in a form or an address: `ids` with commas between them, or `all` with the filter of a list. */
  fields: [name: string, value: string][];
  /** Whether it may stand in an address. */
  isShort: boolean;
  /** In its order; null for one that was deleted or is not of this account. Reads as they are taken. */
  codes(): AsyncGenerator<Code | null>;
}

/** A form's or an address's fields of these names with those of a selection. */
export async function readFields({ request, context }: RequestContext, names: string[]): Promise<FormData> {
  const known = [...CHOICE_FIELDS, ...FILTER_FIELDS, ...names];
  if (request.method === 'POST') return readForm({ request, context }, known, FORM_LIMITS);
  const fields = new FormData();
  for (const [name, value] of new URL(request.url).searchParams) {
    if (known.includes(name)) fields.append(name, value);
  }
  return fields;
}

/** Which codes are meant, maybe none; for more than `SELECTION_LIMIT` the list opens and says so. */
export async function readSelection(
  requestContext: RequestContext,
  token: string,
  form: FormData,
): Promise<Selection> {
  const selection =
    form.get('all') === '1'
      ? await selectListed(requestContext, token, form)
      : selectIds(requestContext, token, form);
  if (selection.count <= SELECTION_LIMIT) return selection;
  const values = { count: String(selection.count), most: String(SELECTION_LIMIT) };
  const notice = { type: 'error', key: 'too_many_chosen', values, persistent: true } as const;
  throw await redirectWithFlash('/user/qrcodes', notice);
}

/** Each once: those of ticked boxes, of addresses, and of one field with commas. */
export function readIds(fields: FormData | URLSearchParams): string[] {
  const listed = String(fields.get('ids') ?? '').split(',');
  const named = [...fields.getAll('id[]'), ...fields.getAll('id'), ...listed];
  return [...new Set(named)].flatMap((id) => z.uuid().safeParse(id).data ?? []);
}

function selectIds(requestContext: RequestContext, token: string, form: FormData): Selection {
  const ids = readIds(form);
  async function* codes() {
    const asked: Promise<Code | null>[] = [];
    for (const id of ids) {
      const found = findCode(requestContext, id, token);
      // Whoever stops reading leaves it behind.
      found.catch(() => undefined);
      asked.push(found);
      if (asked.length === AHEAD) yield (await asked.shift()) ?? null;
    }
    for (const found of asked) yield await found;
  }
  const fields: Selection['fields'] = ids.length > 0 ? [['ids', ids.join(',')]] : [];
  return { count: ids.length, fields, isShort: ids.length <= ADDRESS_IDS, codes };
}

async function selectListed(
  requestContext: RequestContext,
  token: string,
  form: FormData,
): Promise<Selection> {
  const given = FILTER_FIELDS.flatMap((name): [string, string][] => {
    const value = form.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const query = Object.fromEntries(given);
  const readPage = (page: number) => {
    const asked = { ...query, page, limit: PAGE_SIZE };
    return callHost(requestContext, listCodes, { query: asked, token });
  };
  const first = await readPage(1);
  const { total } = first.meta;
  async function* codes() {
    renewDeadline(requestContext);
    const others = Array.from({ length: Math.ceil(total / PAGE_SIZE) - 1 }, (_, n) => readPage(n + 2));
    const pages = [first, ...(await Promise.all(others))];
    // A code made meanwhile moves the others on, and one of them to the next page as well.
    yield* new Map(pages.flatMap(({ data }) => data).map((code) => [code.id, code])).values();
  }
  return { count: total, fields: [['all', '1'], ...given], isShort: true, codes };
}

async function findCode(requestContext: RequestContext, id: string, token: string): Promise<Code | null> {
  renewDeadline(requestContext);
  try {
    return (await callHost(requestContext, getCode, { params: { id }, token })).data.code;
  } catch (thrown) {
    if (thrown instanceof HostError && [404, 410].includes(thrown.status)) return null;
    throw thrown;
  }
}

/** A file of many codes takes longer than any page: each call has the time that a page has. */
export function renewDeadline(requestContext: RequestContext): void {
  delete scopeOf(requestContext).deadline;
}
