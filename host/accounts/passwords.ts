import { type Algorithm, hash, verify } from '@node-rs/argon2';
import type { Passwords } from '#host/http/deps';

/** OWASP password storage: argon2id, 19 MiB, two passes, one lane. */
const OWASP = { memoryCost: 19_456, timeCost: 2 };

/** Argon2id; `memoryCost` in KiB. */
export function createPasswords(strength = OWASP): Passwords {
  const options = { algorithm: 2 satisfies Algorithm.Argon2id, parallelism: 1, ...strength };
  let decoy: Promise<string> | undefined;
  const hashOf = (password: string) => hash(password.normalize('NFC'), options);
  return {
    hash: hashOf,
    matches: async (password, passwordHash) => {
      decoy ??= hashOf('a password nobody has');
      const matches = await verify(passwordHash ?? (await decoy), password.normalize('NFC'));
      return matches && Boolean(passwordHash);
    },
  };
}
