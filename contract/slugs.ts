import { withoutInvisible } from './invisible';

/** Crockford's base 32: no I, L, O, U, so that a printed address can be read out and typed. */
export const SLUG_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const SLUG_LENGTH = 8;

const SLUG = new RegExp(`^[${SLUG_ALPHABET}]{${SLUG_LENGTH}}$`);
/** A slug with what was copied along with it, such as a full stop, a bracket or a blank. */
const COPIED = new RegExp(`^[^\\p{L}\\p{N}]*([a-z\\d]{${SLUG_LENGTH}})(?![\\p{L}\\p{N}])`, 'iu');

/** The stored form of a typed, scanned or copied slug; null if it is not a valid one. */
export function readSlug(entered: string): string | null {
  return plainSlug(entered) ?? plainSlug(COPIED.exec(withoutInvisible(entered).normalize('NFKC'))?.[1] ?? '');
}

function plainSlug(entered: string): string | null {
  const slug = entered.toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0');
  return SLUG.test(slug) ? slug : null;
}
