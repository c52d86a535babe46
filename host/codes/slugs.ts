/** Crockford's base 32: no I, L, O, U, so a printed address can be read out and typed. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 8;

/** 40 random bits as eight characters. */
export function makeSlug(random: (bytes: number) => Uint8Array): string {
  return Array.from(random(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** The stored form of a typed or scanned slug; null when it cannot be one. */
export function readSlug(typed: string): string | null {
  const slug = typed.toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0');
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(slug) ? slug : null;
}
