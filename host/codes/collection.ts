import { setImmediate as letOthersWork } from 'node:timers/promises';
import { type CodeFilter, type CodeOrder, CodeType } from '#contract/codes';
import { foldLabel } from '#contract/labels';
import type { CollectedRow, Named } from './collection.store';

export interface CollectedCode {
  id: string;
  number: number;
  type: CodeType | undefined;
  isPublic: boolean;
  isArchived: boolean;
  tagIds: readonly number[];
  /** What it is called, folded. */
  title: string;
  /** Its name and its content, folded. */
  text: string;
  visits: number;
  lastAt: number;
  /** By the search that is under way. */
  isFound: boolean;
}

type Compare = (one: CollectedCode, other: CollectedCode) => number;

const newestFirst: Compare = (one, other) => other.number - one.number;

const ORDERS: Record<CodeOrder, Compare> = {
  newest: newestFirst,
  name: (one, other) => compareTexts(one.title, other.title) || newestFirst(one, other),
  visits: (one, other) => other.visits - one.visits || newestFirst(one, other),
  last_visit: (one, other) => other.lastAt - one.lastAt || newestFirst(one, other),
};

/** Codes that are sorted without a break. */
const RUN = 4_000;
/** Changes that cost less one by one than together. */
const FEW = 100;
/** Of a code in memory, apart from its texts. */
const CODE_BYTES = 320;

/** What is needed of all codes of an account to search, filter and order them. */
export interface Collection {
  /** Puts codes in place of what was known of them. */
  put(rows: readonly CollectedRow[]): void;
  /** Keeps the codes in this order from now on. */
  sort(order: CodeOrder): Promise<void>;
  /** Codes in an order that they are kept in. */
  inOrder(order: CodeOrder): readonly CollectedCode[];
  /** Roughly what it takes of the memory. */
  bytes(): number;
}

export function createCollection(): Collection {
  const codes = new Map<string, CollectedCode>();
  const orders = new Map<CodeOrder, CollectedCode[]>([['newest', []]]);
  const tagLists = new Map<string, number[]>();
  let bytes = 0;

  function collectedCode(row: CollectedRow): CollectedCode {
    const title = foldLabel(row.name ?? row.content);
    return {
      id: row.id,
      number: row.number,
      // The one text of all codes instead of one for each.
      type: CodeType.options.find((type) => type === row.type),
      isPublic: row.visibility === 'public',
      isArchived: row.isArchived,
      tagIds: tagListOf(row.tagIds),
      title,
      text: row.name === null ? title : `${title}\n${foldLabel(row.content)}`,
      visits: row.visits,
      lastAt: row.lastAt ?? 0,
      isFound: false,
    };
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
        }
        if (row.isDeleted) continue;
        const code = collectedCode(row);
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
    inOrder: (order) => orders.get(order) ?? [],
    bytes: () => bytes,
  };
}

/** Whether a code is one of those that a filter asks for. */
export function matcherOf(filter: CodeFilter, named: Named): (code: CollectedCode) => boolean {
  const { type, visibility, show, tag } = filter;
  const search = foldLabel(filter.search);
  return (code) => {
    if (show === 'archived' ? !code.isArchived : show !== 'all' && code.isArchived) return false;
    if (show === 'never_visited' && (code.visits > 0 || code.type === 'wifi')) return false;
    if (type && code.type !== type) return false;
    if (visibility && code.isPublic !== (visibility === 'public')) return false;
    if (tag !== '' && (named.tagId === null || !code.tagIds.includes(named.tagId))) return false;
    if (search === '' || code.text.includes(search) || code.id === named.codeId) return true;
    return named.tagIds.length > 0 && named.tagIds.some((id) => code.tagIds.includes(id));
  };
}

function bytesOf({ title, text }: CollectedCode): number {
  return CODE_BYTES + text.length + (text === title ? 0 : title.length);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The list, which is in order and may be changed itself, with other codes in it. */
function replaceInOrder(
  list: CollectedCode[],
  { removed, added }: { removed: CollectedCode[]; added: CollectedCode[] },
  compare: Compare,
): CollectedCode[] {
  if (removed.length + added.length > FEW) {
    const gone = new Set(removed);
    const kept = gone.size > 0 ? list.filter((code) => !gone.has(code)) : list;
    return appended(kept, added, compare) ?? mergeRuns(kept, added.sort(compare), compare);
  }
  for (const code of removed) list.splice(firstBehind(list, code, compare) - 1, 1);
  for (const code of added) list.splice(firstBehind(list, code, compare), 0, code);
  return list;
}

/** As pages of codes are read; null where they do not all come behind the list. */
function appended(list: CollectedCode[], added: CollectedCode[], compare: Compare): CollectedCode[] | null {
  for (const [index, code] of added.entries()) {
    const before = added[index - 1] ?? list.at(-1);
    if (before && compare(before, code) > 0) return null;
  }
  for (const code of added) list.push(code);
  return list;
}

/** Where in a list that is in order the codes begin that come after this one. */
function firstBehind(list: readonly CollectedCode[], code: CollectedCode, compare: Compare): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(list[middle] as CollectedCode, code) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sorts a copy, with breaks: whoever opens a code must not wait for 100,000 of them to be sorted. */
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
  let taken = 0;
  for (const code of one) {
    for (; taken < other.length; taken += 1) {
      const next = other[taken] as CollectedCode;
      if (compare(code, next) <= 0) break;
      all.push(next);
    }
    all.push(code);
  }
  for (; taken < other.length; taken += 1) all.push(other[taken] as CollectedCode);
  return all;
}
