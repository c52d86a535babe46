import { setImmediate as letOthersWork } from 'node:timers/promises';
import { type CodeFilter, type CodeOrder, CodeType } from '#contract/codes';
import { contentLine, foldLabel, searchKey } from '#contract/labels';
import type { CollectedRow, Named } from './collection.store';
import { createTextIndex } from './text-index';

export interface CollectedCode {
  id: string;
  number: number;
  type: CodeType | undefined;
  isPublic: boolean;
  isArchived: boolean;
  tagIds: readonly number[];
  /** The displayed name, folded. */
  title: string;
  /** Of its name and content, folded, in the text index. */
  slot: number;
  visits: number;
  lastAt: number;
}

type Compare = (one: CollectedCode, other: CollectedCode) => number;

const newestFirst: Compare = (one, other) => other.number - one.number;

const ORDERS: Record<CodeOrder, Compare> = {
  newest: newestFirst,
  name: (one, other) => compareTexts(one.title, other.title) || newestFirst(one, other),
  visits: (one, other) => other.visits - one.visits || newestFirst(one, other),
  last_visit: (one, other) => other.lastAt - one.lastAt || newestFirst(one, other),
};

/** Codes sorted in one go before other work gets a turn. */
const RUN = 4_000;
/** Up to this many changes, it is cheaper to apply them one by one. */
const MAX_SINGLE_CHANGES = 100;
/** Memory per code, apart from its texts. */
const CODE_BYTES = 320;

/** What searching, filtering and sorting needs of all codes of an account. */
export interface Collection {
  /** Adds codes, replacing earlier versions of them. */
  put(rows: readonly CollectedRow[]): void;
  /** Keeps the codes in this order from now on. */
  sort(order: CodeOrder): Promise<void>;
  /** Finds the codes whose name or content contains this text, and those added later. */
  search(text: string): void;
  /** Whether the last search found a code. */
  isFound(code: CollectedCode): boolean;
  /** Codes in an order passed to `sort` before. */
  inOrder(order: CodeOrder): readonly CollectedCode[];
  /** Approximate memory use. */
  bytes(): number;
}

export function createCollection(): Collection {
  const codes = new Map<string, CollectedCode>();
  const orders = new Map<CodeOrder, CollectedCode[]>([['newest', []]]);
  const tagLists = new Map<string, number[]>();
  const texts = createTextIndex();
  let bytes = 0;

  function collectedCode(row: CollectedRow, before: CollectedCode | undefined): CollectedCode {
    const content = foldLabel(row.content);
    const name = row.name ?? contentLine(row);
    const title = name === row.content ? content : foldLabel(name);
    // No searched text contains a tab, so none is found across the two.
    const text = content.includes(title) ? content : `${title}\t${content}`;
    if (before) texts.replace(before.slot, text);
    return {
      id: row.id,
      number: row.number,
      // One string shared by all codes instead of one each.
      type: CodeType.options.find((type) => type === row.type),
      isPublic: row.visibility === 'public',
      isArchived: row.isArchived,
      tagIds: tagListOf(row.tagIds),
      title,
      slot: before ? before.slot : texts.add(text),
      visits: row.visits,
      lastAt: row.lastAt ?? 0,
    };
  }

  function bytesOf({ title, slot }: CollectedCode): number {
    return CODE_BYTES + title.length + texts.lengthAt(slot);
  }

  function tagListOf(text: string): number[] {
    const list = tagLists.get(text) ?? (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    tagLists.set(text, list);
    return list;
  }

  return {
    put(rows) {
      const removed: CollectedCode[] = [];
      const added: CollectedCode[] = [];
      for (const row of rows) {
        const before = codes.get(row.id);
        if (before) {
          bytes -= bytesOf(before);
          codes.delete(row.id);
          removed.push(before);
          if (row.isDeleted) texts.remove(before.slot);
        }
        if (row.isDeleted) continue;
        const code = collectedCode(row, before);
        bytes += bytesOf(code);
        codes.set(row.id, code);
        added.push(code);
      }
      for (const [order, list] of orders)
        orders.set(order, replaceInOrder(list, { removed, added }, ORDERS[order]));
    },
    async sort(order) {
      if (!orders.has(order)) orders.set(order, await sortInTurns([...codes.values()], ORDERS[order]));
    },
    search: (text) => texts.search(searchKey(text)),
    isFound: ({ slot }) => texts.isFound(slot),
    inOrder: (order) => orders.get(order) ?? [],
    bytes: () => bytes,
  };
}

/** Whether a code matches a filter, whose text must have been the last one searched for. */
export function matcherOf(
  { isFound }: Pick<Collection, 'isFound'>,
  { type, visibility, show, tag }: CodeFilter,
  named: Named,
): (code: CollectedCode) => boolean {
  return (code) => {
    if (show === 'archived' ? !code.isArchived : show !== 'all' && code.isArchived) return false;
    if (show === 'never_visited' && (code.visits > 0 || code.type === 'wifi')) return false;
    if (type && code.type !== type) return false;
    if (visibility && code.isPublic !== (visibility === 'public')) return false;
    if (tag !== '' && (named.tagId === null || !code.tagIds.includes(named.tagId))) return false;
    if (isFound(code) || code.id === named.codeId) return true;
    return named.tagIds.length > 0 && named.tagIds.some((id) => code.tagIds.includes(id));
  };
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the sorted list with these codes removed and added; may change it in place. */
function replaceInOrder(
  list: CollectedCode[],
  { removed, added }: { removed: CollectedCode[]; added: CollectedCode[] },
  compare: Compare,
): CollectedCode[] {
  if (removed.length + added.length > MAX_SINGLE_CHANGES) {
    const removedCodes = new Set(removed);
    const kept = removedCodes.size > 0 ? list.filter((code) => !removedCodes.has(code)) : list;
    return appended(kept, added, compare) ?? mergeRuns(kept, added.sort(compare), compare);
  }
  for (const code of removed) list.splice(firstBehind(list, code, compare) - 1, 1);
  for (const code of added) list.splice(firstBehind(list, code, compare), 0, code);
  return list;
}

/** Appends, as when pages of codes are loaded; null if not all of them sort after the list. */
function appended(list: CollectedCode[], added: CollectedCode[], compare: Compare): CollectedCode[] | null {
  for (const [index, code] of added.entries()) {
    const before = added[index - 1] ?? list.at(-1);
    if (before && compare(before, code) > 0) return null;
  }
  for (const code of added) list.push(code);
  return list;
}

/** Index of the first code in a sorted list that comes after this one. */
function firstBehind(list: readonly CollectedCode[], code: CollectedCode, compare: Compare): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(list[middle] as CollectedCode, code) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sorts a copy, with breaks: visitors must not wait while 100,000 codes are sorted. */
async function sortInTurns(codes: readonly CollectedCode[], compare: Compare): Promise<CollectedCode[]> {
  let runs: CollectedCode[][] = [];
  for (let from = 0; from < codes.length; from += RUN) {
    runs.push(codes.slice(from, from + RUN).sort(compare));
    await letOthersWork();
  }
  while (runs.length > 1) {
    const merged: CollectedCode[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(mergeRuns(runs[index] ?? [], runs[index + 1] ?? [], compare));
      await letOthersWork();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function mergeRuns(one: CollectedCode[], other: CollectedCode[], compare: Compare): CollectedCode[] {
  const all: CollectedCode[] = [];
  let index = 0;
  for (const code of one) {
    for (; index < other.length; index += 1) {
      const next = other[index] as CollectedCode;
      if (compare(code, next) <= 0) break;
      all.push(next);
    }
    all.push(code);
  }
  for (; index < other.length; index += 1) all.push(other[index] as CollectedCode);
  return all;
}
