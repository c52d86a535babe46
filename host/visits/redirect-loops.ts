import { isLoopbackAddress } from '#contract/own-addresses';
import { createOwnCodeFinder, type NamedCode } from '#contract/own-codes';
import { codeAddresses } from '#host/codes/contents';
import { readSlug } from '#host/codes/slugs';
import type { Deps } from '#host/http/deps';
import type { KnownCodes } from './resolve';
import { listTextLinks } from './text-links';

/** More codes in a row than anybody means. */
const LONGEST_CHAIN = 8;

interface LoopDetector {
  /**
   * Whether `target` leads, through codes of ours alone, back to where it came from or on without an end. At once for a
   * target that is none of our addresses; rejects where a code on the way cannot be read.
   */
  isLoop(target: string): boolean | Promise<boolean>;
}

/** Codes were made, and addresses of ours changed, before a code could no longer be saved that opens another. */
export function createLoopDetector({ settings }: Pick<Deps, 'settings'>, codes: KnownCodes): LoopDetector {
  const addresses = codeAddresses(settings);
  const findOwnCode = createOwnCodeFinder(addresses);
  const ownHost = hostPattern(addresses);

  async function follow(target: string): Promise<boolean> {
    const seen = new Set<string>();
    let next: string | null = target;
    while (next !== null && seen.size < LONGEST_CHAIN) {
      const named = findOwnCode(next);
      if (!named) return false;
      const key = `${named.act === 'e' ? 'e' : 'r'}/${named.slug.toUpperCase()}/${named.query.get('n')}`;
      if (seen.has(key)) return true;
      seen.add(key);
      next = await targetOf(named);
    }
    return next !== null;
  }

  /** Where the code leads by itself; null where a page is shown. */
  async function targetOf({ act, slug, query }: NamedCode): Promise<string | null> {
    const known = readSlug(slug);
    const code = known === null || act === 'b' ? null : await codes.find(known);
    // Its owner is led on by a private code as well.
    if (!code || code.isDeleted) return null;
    if (act === 'e') {
      const links = code.type === 'text' ? listTextLinks(code.content) : [];
      return links[Number(query.get('n') ?? 1) - 1] ?? null;
    }
    return code.type === 'link' ? code.content : null;
  }

  return { isLoop: (target) => ownHost.test(target) && follow(target) };
}

/** Begins like addresses of ours, and quickly told: nearly every target is another's. */
function hostPattern(addresses: readonly string[]): RegExp {
  const names = addresses.map((address) => new URL(address).hostname.replace(/[.[\]]/g, '\\$&'));
  const loopback = addresses.some(isLoopbackAddress) ? ['[^/?#]*localhost', '[\\d.]+', '\\[[^/?#]*\\]'] : [];
  return new RegExp(`^https?://(?:${[...names, ...loopback].join('|')})\\.?(?::\\d+)?(?:[/?#]|$)`, 'i');
}
