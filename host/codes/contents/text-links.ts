import { withoutInvisible } from '#contract/invisible';
import { parseUrl } from '#contract/urls';

/** How many links a landing page shows. */
export const TEXT_LINKS = 5;

/** Ends a URL wherever it stands: quotation marks, and the punctuation of scripts without spaces. */
const END = `\\s<>"'\`\\\\|^{}\\p{Cc}\\p{Cs}«»‹›“”„‟「」『』【】《》〈〉〔〕、。，；：！？｡､｢｣`;
/** A wide bracket closes within a URL if it opens there. */
const URLS = new RegExp(`https?://(?:[^${END}（）［］]|（[^${END}（）]*）|［[^${END}［］]*］)+`, 'giu');
/** Punctuation of any script; of ASCII only what sentences and markup end with. */
const TRAILING = /[.,;:!?*_~´]|(?![!-~])\p{P}/u;
const CLOSING: Record<string, string> = { ')': '(', ']': '[', '）': '（', '］': '［' };

/** The first URLs in a text, without the blocked ones: a landing page shows them as links. */
export function listTextLinks(text: string, blocked: readonly string[] = []): string[] {
  return listUrls(text)
    .filter((url) => !blocked.includes(url))
    .slice(0, TEXT_LINKS);
}

/**
 * The distinct http(s) URLs in a text, without trailing punctuation and invisible characters. Those with credentials
 * are left out: they are meant to look like a different site.
 */
export function listUrls(text: string): string[] {
  const found = [...withoutInvisible(text).matchAll(URLS)].map(([match]) => withoutPunctuation(match));
  return [...new Set(found.filter(isOpenable))];
}

/** A closing bracket is part of the URL if it has an opening one there. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  while (end > 0) {
    const last = url[end - 1] ?? '';
    const opening = CLOSING[last];
    const isTrailing = opening ? count(url, last, end) > count(url, opening, end) : TRAILING.test(last);
    if (!isTrailing) break;
    end -= 1;
  }
  return url.slice(0, end);
}

function count(text: string, character: string, end: number): number {
  return text.slice(0, end).split(character).length - 1;
}

function isOpenable(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
