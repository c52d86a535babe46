/** How many links a landing page shows. */
export const TEXT_LINKS = 5;

const URLS = /https?:\/\/[^\s<>"'`\\|^{}\p{Cc}\p{Cs}]+/giu;
const CLOSING: Record<string, string> = { ')': '(', ']': '[' };

/** The first URLs in a text, without the blocked ones: a landing page shows them as links. */
export function listTextLinks(text: string, blocked: readonly string[] = []): string[] {
  return listUrls(text)
    .filter((url) => !blocked.includes(url))
    .slice(0, TEXT_LINKS);
}

/**
 * The distinct http(s) URLs in a text, without trailing punctuation. Those with credentials are left out: they are meant
 * to look like a different site.
 */
export function listUrls(text: string): string[] {
  const found = [...text.matchAll(URLS)].map(([match]) => withoutPunctuation(match));
  return [...new Set(found.filter(isOpenable))];
}

/** A closing bracket is part of the URL if it has an opening one there. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  while (end > 0) {
    const last = url[end - 1] ?? '';
    const opening = CLOSING[last];
    const isTrailing = opening
      ? count(url, last, end) > count(url, opening, end)
      : /[.,;:!?…*_~»”’]/.test(last);
    if (!isTrailing) break;
    end -= 1;
  }
  return url.slice(0, end);
}

function count(text: string, character: string, end: number): number {
  return text.slice(0, end).split(character).length - 1;
}

function isOpenable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
