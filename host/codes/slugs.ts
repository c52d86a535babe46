/** Crockford's base 32: no I, L, O, U, so that a printed address can be read out and typed. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;
const SLUG = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

type Random = (bytes: number) => Uint8Array;

/** Random characters of five bits each, easy to print, read out and type. */
export function randomReadableText(random: Random, length: number): string {
  return Array.from(random(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** 40 random bits as eight characters. */
export function makeSlug(random: Random): string {
  return randomReadableText(random, LENGTH);
}

/** The stored form of a typed or scanned slug; null if it is not a valid one. */
export function readSlug(typed: string): string | null {
  const slug = typed.toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0');
  return SLUG.test(slug) ? slug : null;
}
