import { type Algorithm, hashRaw } from '@node-rs/argon2';

const RECOVERY_CODES = 10;
/** 53 bits. Digits only: they are the same in every language, and phones show a numeric keyboard. */
const DIGITS = 16;
const SALT_BYTES = 16;
/** Bytes from here on are discarded, as they would make some digits more likely than others. */
const FAIR_BYTES = 250;

/** As for passwords: codes are too short for a plain hash (OWASP ASVS 5.0, 6.5.2). */
const STRENGTH = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** A set of codes, in groups of four digits, and their hashes. */
export async function makeRecoveryCodes(
  random: (bytes: number) => Uint8Array,
): Promise<{ codes: string[]; hashes: string[]; salt: string }> {
  const salt = Buffer.from(random(SALT_BYTES)).toString('base64url');
  const digits = Array.from({ length: RECOVERY_CODES }, () => randomDigits(random));
  const hashes: string[] = [];
  // Sequential, because in parallel they would need 190 MB.
  for (const code of digits) hashes.push(await hashRecoveryCode(code, salt));
  return { codes: digits.map((code) => code.replace(/(?<=.)(?=(?:.{4})+$)/g, '-')), hashes, salt };
}

/** Hashes the digits only. */
export async function hashRecoveryCode(digits: string, salt: string): Promise<string> {
  const raw = await hashRaw(digits, { ...STRENGTH, salt: Buffer.from(salt, 'base64url') });
  return raw.toString('base64url');
}

export function isRecoveryCode(digits: string): boolean {
  return digits.length === DIGITS;
}

function randomDigits(random: (bytes: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < DIGITS) {
    for (const byte of random(DIGITS)) if (byte < FAIR_BYTES) digits += byte % 10;
  }
  return digits.slice(0, DIGITS);
}
