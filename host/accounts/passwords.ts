import { type Algorithm, hash, verify } from '@node-rs/argon2';

/** OWASP password storage: argon2id, 19 MiB, two passes, one lane. */
const STRENGTH = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

let decoy: Promise<string> | undefined;

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), STRENGTH);
}

/** Takes the same time for an account without a password, and for none at all. */
export async function isPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  decoy ??= hashPassword('a password nobody has');
  const matches = await verify(passwordHash ?? (await decoy), password.normalize('NFC'));
  return matches && Boolean(passwordHash);
}
