import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isKeySecret } from '#host/http/caller';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'qdr_';
const RANDOM_CHARACTERS = 30;
const CHECK_CHARACTERS = 6;
/** Higher bytes are thrown away, so that every character is equally likely. */
const FAIR = 256 - (256 % ALPHABET.length);

/** A new secret: a prefix that scanners of published code look for, 178 random bits, and a checksum. */
export function makeSecret(random: (bytes: number) => Uint8Array): string {
  let characters = '';
  while (characters.length < RANDOM_CHARACTERS)
    for (const byte of random(RANDOM_CHARACTERS))
      if (byte < FAIR) characters += ALPHABET[byte % ALPHABET.length];
  const start = PREFIX + characters.slice(0, RANDOM_CHARACTERS);
  return start + checksumOf(start);
}

/** The hash of a secret, as stored; null if it is none, as its checksum tells. */
export function hashOfSecret(secret: string): string | null {
  const isWhole = isKeySecret(secret) && /^\w{40}$/.test(secret);
  if (!isWhole || checksumOf(secret.slice(0, -CHECK_CHARACTERS)) !== secret.slice(-CHECK_CHARACTERS))
    return null;
  return createHash('sha256').update(secret).digest('base64url');
}

/** CRC-32 in base 62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let characters = '';
  while (characters.length < CHECK_CHARACTERS) {
    characters = ALPHABET[rest % ALPHABET.length] + characters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return characters;
}
