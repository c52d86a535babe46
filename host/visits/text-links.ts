/** How many links a page offers to open. */
export const TEXT_LINKS = 5;

const ADDRESS = /https?:\/\/[^\s<>"'`\\|^{}\p{Cc}\p{Cs}]+/giu;
const CLOSING: Record<string, string> = { ')': '(', ']': '[' };

/**
 * The first web addresses in a text, each once, as they stand there without the punctuation after them. An address with
 * a name or password in it is none: it is written to look like another one.
 */
export function listTextLinks(text: string): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(match);
    if (isOpenable(address)) found.add(address);
    if (found.size === TEXT_LINKS) break;
  }
  return [...found];
}

/** A closing bracket belongs to the address where it closes one of its own. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1] ?? '';
    const opening = CLOSING[last];
    const isLoose = opening
      ? count(address, last, end) > count(address, opening, end)
      : /[.,;:!?…*_~»”’]/.test(last);
    if (!isLoose) break;
    end -= 1;
  }
  return address.slice(0, end);
}

function count(text: string, character: string, end: number): number {
  return text.slice(0, end).split(character).length - 1;
}

function isOpenable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
