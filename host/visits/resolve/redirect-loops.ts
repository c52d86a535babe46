import { isRedirected } from '#contract/contents/contents';
import { followAction } from '#contract/engagements';
import { isLoopbackAddress } from '#contract/own-addresses';
import { createOwnCodeFinder, type NamedCode } from '#contract/own-codes';
import { readSlug } from '#host/codes/code/slugs';
import { codeUrls } from '#host/codes/contents/contents';
import { HOSTED } from '#host/codes/contents/hosted-types';
import type { Deps } from '#host/http/deps';
import type { CachedCode } from './packed-code';
import type { CodeCache } from './resolve';

/** Longer than any intentional chain of codes. */
const MAX_CHAIN = 8;

/** Where a code redirects this visitor to; null if it shows a page. */
type RedirectOf = (code: CachedCode) => string | null;

const contentOf: RedirectOf = ({ type, content }) => (isRedirected(type) ? content : null);

interface LoopDetector {
  /**
   * Whether `target` redirects, through our own codes only, back to itself or endlessly. Synchronous for URLs of other
   * sites; rejects if a code on the way cannot be read.
   */
  isLoop(target: string, redirectOf?: RedirectOf): boolean | Promise<boolean>;
}

/** Saving a code that opens another is refused, but there are older codes, and our own URLs may have changed since. */
export function createLoopDetector({ settings }: Pick<Deps, 'settings'>, codes: CodeCache): LoopDetector {
  const addresses = codeUrls(settings);
  const findOwnCode = createOwnCodeFinder(addresses);
  const ownHost = hostPattern(addresses);

  async function follow(target: string, redirectOf: RedirectOf): Promise<boolean> {
    const seen = new Set<string>();
    let next: string | null = target;
    while (next !== null && seen.size < MAX_CHAIN) {
      const ownCode = findOwnCode(next);
      if (!ownCode) return false;
      const key = `${ownCode.act === 'e' ? 'e' : 'r'}/${ownCode.slug.toUpperCase()}/${positionIn(ownCode.query)}`;
      if (seen.has(key)) return true;
      seen.add(key);
      next = await targetOf(ownCode, redirectOf);
    }
    return next !== null;
  }

  /** Where the code redirects to; null if it shows a page. */
  async function targetOf({ act, slug, query }: NamedCode, redirectOf: RedirectOf): Promise<string | null> {
    const codeSlug = readSlug(slug);
    const code = codeSlug === null || act === 'b' ? null : await codes.find(codeSlug);
    // Private codes count too: they redirect their owner.
    if (!code || code.isDeleted) return null;
    if (act === 'e') {
      const links = HOSTED[code.type].links?.(code.content, code.blockedLinks) ?? [];
      return links[positionIn(query) - 1] ?? null;
    }
    return redirectOf(code);
  }

  return { isLoop: (target, redirectOf = contentOf) => ownHost.test(target) && follow(target, redirectOf) };
}

/** Which link of a text is opened: the first one unless the query names another, as for a visitor. */
function positionIn(query: URLSearchParams): number {
  return followAction.query.parse({ n: query.get('n') ?? undefined }).n;
}

/** A quick test for URLs that may be ours: nearly every target is another site's. */
function hostPattern(addresses: readonly string[]): RegExp {
  const names = addresses.map((address) => new URL(address).hostname.replace(/[.[\]]/g, '\\$&'));
  const loopback = addresses.some(isLoopbackAddress) ? ['[^/?#]*localhost', '[\\d.]+', '\\[[^/?#]*\\]'] : [];
  return new RegExp(`^https?://(?:${[...names, ...loopback].join('|')})\\.?(?::\\d+)?(?:[/?#]|$)`, 'i');
}
