import type { Deps, Passwords } from '#host/http/deps';
import type { Client } from '#runtime/processes/process-pool';

const RECOVERY_CODES = 10;
/** 53 bits. Digits only: they are the same in every language, and phones show a numeric keyboard. */
const DIGITS = 16;
const SALT_BYTES = 16;
/** Bytes from here on are discarded, as they would make some digits more likely than others. */
const FAIR_BYTES = 250;

/** A set of codes, in groups of four digits, and their hashes. */
export async function makeRecoveryCodes(
  { passwords, random }: Pick<Deps, 'passwords' | 'random'>,
  client: Client,
): Promise<{ codes: string[]; hashes: string[]; salt: string }> {
  const salt = Buffer.from(random(SALT_BYTES)).toString('base64url');
  const digits = Array.from({ length: RECOVERY_CODES }, () => randomDigits(random));
  const hashes: string[] = [];
  for (const code of digits) hashes.push(await hashRecoveryCode(passwords, code, salt, client));
  return { codes: digits.map((code) => code.replace(/(?<=.)(?=(?:.{4})+$)/g, '-')), hashes, salt };
}

/** As for passwords: codes are too short for a plain hash (OWASP ASVS 5.0, 6.5.2). Hashes the digits only. */
export function hashRecoveryCode(
  passwords: Passwords,
  digits: string,
  salt: string,
  client: Client,
): Promise<string> {
  return passwords.digest(digits, Buffer.from(salt, 'base64url'), client);
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
