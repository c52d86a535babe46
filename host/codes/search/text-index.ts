/** Texts that are joined and searched as one. */
const BLOCK = 512;
/** Between joined texts; no text and no searched text may contain it. */
const SEPARATOR = '\n';

interface Block {
  joined: string;
  /** Where each text begins in `joined`. */
  starts: Uint32Array;
  /** Texts not yet joined, by their place in the block. */
  changed: Map<number, string>;
}

/**
 * Texts by slot, which is a number, with the slots that the last search found. Joined texts are searched two to four
 * times as fast as single ones, which lie scattered in memory.
 */
export interface TextIndex {
  /** Returns its slot, perhaps one that was removed before. Matches the text against the last search as well. */
  add(text: string): number;
  replace(slot: number, text: string): void;
  remove(slot: number): void;
  /** Length in UTF-16 units. */
  lengthAt(slot: number): number;
  /** Finds the texts that contain this one; all of them if it is empty, none if it is null. */
  search(text: string | null): void;
  isFound(slot: number): boolean;
}

export function createTextIndex(): TextIndex {
  const blocks: Block[] = [];
  const removed: number[] = [];
  let found = new Uint8Array(BLOCK);
  let searched: string | null = '';
  let size = 0;

  function textAt(slot: number): string {
    const place = slot % BLOCK;
    const { joined, starts, changed } = blockOf(slot);
    return changed.get(place) ?? joined.slice(starts[place], (starts[place + 1] ?? 1) - 1);
  }

  function write(slot: number, text: string): void {
    blockOf(slot).changed.set(slot % BLOCK, text);
    found[slot] = searched !== null && text.includes(searched) ? 1 : 0;
  }

  function blockOf(slot: number): Block {
    const index = Math.floor(slot / BLOCK);
    const block = blocks[index] ?? emptyBlock();
    blocks[index] = block;
    return block;
  }

  return {
    add(text) {
      const slot = removed.pop() ?? size++;
      if (slot >= found.length) {
        const larger = new Uint8Array(2 * found.length);
        larger.set(found);
        found = larger;
      }
      write(slot, text);
      return slot;
    },
    replace(slot, text) {
      if (textAt(slot) !== text) write(slot, text);
    },
    remove(slot) {
      write(slot, '');
      removed.push(slot);
    },
    lengthAt: (slot) => textAt(slot).length,
    search(text) {
      if (text === searched) return;
      searched = text;
      found.fill(text === '' ? 1 : 0);
      if (!text) return;
      for (const [index, block] of blocks.entries()) {
        joinChanged(block);
        markFound(found.subarray(index * BLOCK, (index + 1) * BLOCK), block, text);
      }
    },
    isFound: (slot) => found[slot] === 1,
  };
}

function emptyBlock(): Block {
  const starts = Uint32Array.from({ length: BLOCK + 1 }, (_, place) => place);
  return { joined: SEPARATOR.repeat(BLOCK), starts, changed: new Map() };
}

function joinChanged(block: Block): void {
  const { joined, starts, changed } = block;
  if (changed.size === 0) return;
  const texts = joined.split(SEPARATOR).slice(0, BLOCK);
  for (const [place, text] of changed) texts[place] = text;
  for (const [place, text] of texts.entries()) starts[place + 1] = (starts[place] ?? 0) + text.length + 1;
  block.joined = texts.join(SEPARATOR) + SEPARATOR;
  changed.clear();
}

function markFound(found: Uint8Array, { joined, starts }: Block, text: string): void {
  let place = 0;
  let at = joined.indexOf(text);
  while (at >= 0) {
    while ((starts[place + 1] ?? Number.POSITIVE_INFINITY) <= at) place += 1;
    found[place] = 1;
    at = joined.indexOf(text, starts[place + 1]);
  }
}
