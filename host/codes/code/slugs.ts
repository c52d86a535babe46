import { SLUG_ALPHABET, SLUG_LENGTH } from '#contract/slugs';

export { readSlug } from '#contract/slugs';

type Random = (bytes: number) => Uint8Array;

/** Random characters of five bits each, easy to print, read out and type. */
export function randomReadableText(random: Random, length: number): string {
  return Array.from(random(length), (byte) => SLUG_ALPHABET[byte % SLUG_ALPHABET.length]).join('');
}

/** 40 random bits as eight characters. */
export function makeSlug(random: Random): string {
  return randomReadableText(random, SLUG_LENGTH);
}
