import { setImmediate as letOthersWork } from 'node:timers/promises';
import { finalAddress } from '#contract/campaign';
import type { CodeFilter, CodeOrder } from '#contract/codes';
import {
  contentLine,
  contentText,
  isDynamic,
  isRedirected,
  STORED_UNITS,
  TYPE_NUMBERS,
} from '#contract/contents/contents';
import { foldLabel, foldText, searchKey } from '#contract/labels';
import { campaignOf } from '#host/codes/code/address-campaign';
import type { CallerTag } from '#host/http/caller';
import type { IndexedRow, Named } from './indexed-codes';
import { createTextIndex } from './text-index';

export interface IndexedCode {
  id: string;
  number: number;
  /** Sorts codes by their displayed names, as `naturalKey` makes it. */
  title: string;
  visits: number;
  lastAt: number;
}

type Compare = (one: IndexedCode, other: IndexedCode) => number;

const newestFirst: Compare = (one, other) => other.number - one.number;

const ORDERS: Record<CodeOrder, Compare> = {
  newest: newestFirst,
  name: (one, other) => compareTexts(one.title, other.title) || newestFirst(one, other),
  visits: (one, other) => other.visits - one.visits || newestFirst(one, other),
  last_visit: (one, other) => other.lastAt - one.lastAt || newestFirst(one, other),
};

// The flags of a code in one number: its type in the lowest bits, from 1, and these.
const TYPE = 0b1111;
const PUBLIC = 0b1_0000;
const ARCHIVED = 0b10_0000;
/** Its visits are counted, but there has been none. */
const UNVISITED = 0b100_0000;
/** Its owner wants no visits counted. */
const UNCOUNTED = 0b1000_0000;

/** Codes sorted in one go before other work gets a turn. */
const RUN = 4_000;
/** Up to this many changes, it is cheaper to apply them one by one. */
const MAX_SINGLE_CHANGES = 100;
/** Memory per code, apart from its texts. */
const CODE_BYTES = 320;

/** A filter, and the tag that the caller is limited to, if any. */
export type IndexFilter = CodeFilter & { within?: CallerTag | null };

/** Places in an order, `to` exclusive. */
export interface Place {
  from: number;
  to: number;
  /**
   * Only for the order `newest`: codes with lower numbers than this, of which those behind `to` are neither looked for nor
   * counted.
   */
  below?: number;
}

/** Which codes to find. */
export interface Wanted extends Place {
  filter: IndexFilter;
  named: Named;
  order: CodeOrder;
}

export interface Found {
  codes: IndexedCode[];
  /** How many match in all. */
  total: number;
}

/**
 * What searching, filtering and sorting needs of all codes of an account. Each code has a slot, a number; what every
 * query reads of all codes lies in arrays of numbers by slot, as objects scattered in memory take ten times as long.
 */
export interface CodeIndex {
  /** Adds codes, replacing earlier versions of them. */
  put(rows: readonly IndexedRow[]): void;
  /** Keeps the codes in this order from now on. */
  sort(order: CodeOrder): Promise<void>;
  /** Finds the codes whose name or content contains this text, and those added later. */
  search(text: string): void;
  /** Codes that match; their order must have been passed to `sort`, and the text of the filter last to `search`. */
  find(wanted: Wanted): Found;
  /** Approximate memory use. */
  bytes(): number;
}

export function createCodeIndex(): CodeIndex {
  const slots = new Map<string, number>();
  const codes: IndexedCode[] = [];
  const flags: number[] = [];
  /** Index in `tagLists` by slot. */
  const tagsOf: number[] = [];
  const tagLists: number[][] = [];
  const tagListIndexes = new Map<string, number>();
  /** Index in `campaigns` by slot; 0 for none. */
  const campaignOfSlot: number[] = [];
  /** The values of `utm_campaign`, folded. */
  const campaigns = [''];
  const campaignIndexes = new Map([['', 0]]);
  const orders = new Map<CodeOrder, number[]>([['newest', []]]);
  const texts = createTextIndex();
  let bytes = 0;

  const compareSlots = (order: CodeOrder) => {
    const compare = ORDERS[order];
    return (one: number, other: number) => compare(codes[one] as IndexedCode, codes[other] as IndexedCode);
  };

  function write(row: IndexedRow): number {
    const content = foldText(contentText(row), STORED_UNITS);
    const name = row.name ?? contentLine(row);
    const title = name === row.content ? content : foldLabel(name);
    // No searched text contains a tab, so none is found across the two.
    const text = content.includes(title) ? content : `${title}\t${content}`;
    const known = slots.get(row.id);
    if (known !== undefined) texts.replace(known, text);
    const slot = known ?? texts.add(text);
    slots.set(row.id, slot);
    const { id, number, visits, lastAt } = row;
    codes[slot] = { id, number, title: naturalKey(title), visits, lastAt: lastAt ?? 0 };
    flags[slot] = flagsOf(row);
    tagsOf[slot] = tagListIndex(row.tagIds);
    campaignOfSlot[slot] = campaignIndex(foldLabel(campaignNamed(row)));
    bytes += bytesOf(slot);
    return slot;
  }

  function bytesOf(slot: number): number {
    const campaign = campaigns[campaignOfSlot[slot] ?? 0] ?? '';
    return CODE_BYTES + (codes[slot]?.title.length ?? 0) + texts.lengthAt(slot) + campaign.length;
  }

  function campaignIndex(text: string): number {
    const index = campaignIndexes.get(text) ?? campaigns.push(text) - 1;
    campaignIndexes.set(text, index);
    return index;
  }

  function tagListIndex(text: string): number {
    const index = tagListIndexes.get(text) ?? tagLists.length;
    if (index === tagLists.length) {
      tagListIndexes.set(text, index);
      tagLists.push(text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    }
    return index;
  }

  return {
    put(rows) {
      const removed = rows.flatMap(({ id }) => slots.get(id) ?? []);
      for (const [order, list] of orders) orders.set(order, without(list, removed, compareSlots(order)));
      for (const slot of removed) bytes -= bytesOf(slot);
      for (const { id } of rows.filter(({ isDeleted }) => isDeleted)) {
        const slot = slots.get(id);
        if (slot === undefined) continue;
        texts.remove(slot);
        slots.delete(id);
      }
      const added = rows.filter(({ isDeleted }) => !isDeleted).map(write);
      for (const [order, list] of orders) orders.set(order, withAdded(list, added, compareSlots(order)));
    },
    async sort(order) {
      if (!orders.has(order)) orders.set(order, await sortInTurns([...slots.values()], compareSlots(order)));
    },
    search: (text) => texts.search(searchKey(text)),
    find({ filter, named, order, from, to, below }) {
      const required = requiredFlags(filter);
      const { tagId, tagIds, codeId, importedIds, failingIds } = named;
      const [imported, failing] = [importedIds, failingIds].map(
        (ids) => ids && new Set(ids.flatMap((id) => slots.get(id) ?? [])),
      );
      const isTagged =
        filter.tag === '' ? null : tagLists.map((list) => tagId !== null && list.includes(tagId));
      const isWithin = filter.within && tagLists.map((list) => list.includes(filter.within?.id ?? 0));
      const wantedCampaign =
        filter.campaign === '' ? null : campaignIndexes.get(foldLabel(filter.campaign)) || undefined;
      const isNamed = tagLists.map((list) => tagIds.some((id) => list.includes(id)));
      const addressed = codeId === null ? undefined : slots.get(codeId);
      const found: Found = { codes: [], total: 0 };
      const list = orders.get(order) ?? [];
      const start =
        below === undefined ? 0 : firstBehind(list, (slot) => (codes[slot] as IndexedCode).number < below);
      for (let place = start; place < list.length; place += 1) {
        if (below !== undefined && found.total === to) break;
        const slot = list[place] as number;
        if (((flags[slot] ?? 0) & required.of) !== required.flags) continue;
        if (imported && !imported.has(slot)) continue;
        if (failing && !failing.has(slot)) continue;
        const tagList = tagsOf[slot] ?? 0;
        if (isTagged && !isTagged[tagList]) continue;
        if (isWithin && !isWithin[tagList]) continue;
        if (wantedCampaign !== null && campaignOfSlot[slot] !== wantedCampaign) continue;
        if (!texts.isFound(slot) && slot !== addressed && !isNamed[tagList]) continue;
        if (found.total >= from && found.total < to) found.codes.push(codes[slot] as IndexedCode);
        found.total += 1;
      }
      return found;
    },
    bytes: () => bytes,
  };
}

function flagsOf({ type, visibility, isArchived, isCounted, visits }: IndexedRow): number {
  return (
    typeFlags(type) |
    (visibility === 'public' ? PUBLIC : 0) |
    (isArchived ? ARCHIVED : 0) |
    (visits === 0 && isCounted && isDynamic(type) ? UNVISITED : 0) |
    (isCounted ? 0 : UNCOUNTED)
  );
}

/** The `utm_campaign` of the address that visitors are led to; empty if it has none. */
function campaignNamed({ type, content, campaign, name, tag, slug }: IndexedRow): string {
  if (!isRedirected(type)) return '';
  const words = { name, tags: tag === null ? [] : [tag], slug };
  const [, , named] = campaignOf(finalAddress(content, campaign, words)) ?? [];
  return named ?? '';
}

function typeFlags(type: string): number {
  return TYPE_NUMBERS.indexOf(type) + 1;
}

/** The flags that matching codes have, of those that the filter is about. */
function requiredFlags({ type, visibility, show }: CodeFilter): { of: number; flags: number } {
  const required = { of: 0, flags: 0 };
  const require = (of: number, flags: number) => {
    required.of |= of;
    required.flags |= flags;
  };
  if (show !== 'all') require(ARCHIVED, show === 'archived' ? ARCHIVED : 0);
  if (show === 'never_visited') require(UNVISITED, UNVISITED);
  if (show === 'uncounted') require(UNCOUNTED, UNCOUNTED);
  if (type) require(TYPE, typeFlags(type));
  if (visibility) require(PUBLIC, visibility === 'public' ? PUBLIC : 0);
  return required;
}

/**
 * Sorts numbers inside texts by size, Table 2 before Table 10: puts before each number a sign for its length, which
 * sorts where digits do.
 */
function naturalKey(text: string): string {
  return text.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return String.fromCharCode(0x30 + Math.min(number.length, 40)) + number;
  });
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type CompareSlots = (one: number, other: number) => number;

/** The sorted list without these slots, which are in it; may change it in place. */
function without(list: number[], removed: readonly number[], compare: CompareSlots): number[] {
  if (removed.length > MAX_SINGLE_CHANGES) {
    const all = new Set(removed);
    return list.filter((slot) => !all.has(slot));
  }
  for (const slot of removed) list.splice(firstBehind(list, (one) => compare(one, slot) > 0) - 1, 1);
  return list;
}

/** The sorted list with these slots added; may change it in place. */
function withAdded(list: number[], added: number[], compare: CompareSlots): number[] {
  if (added.length > MAX_SINGLE_CHANGES)
    return appended(list, added, compare) ?? mergeRuns(list, [...added].sort(compare), compare);
  for (const slot of added)
    list.splice(
      firstBehind(list, (one) => compare(one, slot) > 0),
      0,
      slot,
    );
  return list;
}

/** Appends, as when pages of codes are loaded; null if not all of them sort after the list. */
function appended(list: number[], added: readonly number[], compare: CompareSlots): number[] | null {
  for (const [index, slot] of added.entries()) {
    const before = added[index - 1] ?? list.at(-1);
    if (before !== undefined && compare(before, slot) > 0) return null;
  }
  for (const slot of added) list.push(slot);
  return list;
}

/** Index of the first slot in a sorted list that is behind a place. */
function firstBehind(list: readonly number[], isBehind: (slot: number) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(list[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sorts a copy, with breaks: visitors must not wait while 100,000 codes are sorted. */
async function sortInTurns(slots: readonly number[], compare: CompareSlots): Promise<number[]> {
  let runs: number[][] = [];
  for (let from = 0; from < slots.length; from += RUN) {
    runs.push(slots.slice(from, from + RUN).sort(compare));
    await letOthersWork();
  }
  while (runs.length > 1) {
    const merged: number[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(mergeRuns(runs[index] ?? [], runs[index + 1] ?? [], compare));
      await letOthersWork();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function mergeRuns(one: readonly number[], other: readonly number[], compare: CompareSlots): number[] {
  const all: number[] = [];
  let index = 0;
  for (const slot of one) {
    for (; index < other.length; index += 1) {
      const next = other[index] as number;
      if (compare(slot, next) <= 0) break;
      all.push(next);
    }
    all.push(slot);
  }
  for (; index < other.length; index += 1) all.push(other[index] as number);
  return all;
}
