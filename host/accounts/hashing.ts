import { type Algorithm, hash, hashRaw, verify } from '@node-rs/argon2';

/** Memory in KiB, and passes over it. */
export interface Strength {
  memoryCost: number;
  timeCost: number;
}

const ARGON2ID = { algorithm: 2 satisfies Algorithm.Argon2id, parallelism: 1 };

/** Argon2id. Each takes milliseconds of a processor on purpose, so it runs where no request waits behind it. */
export const hashingTasks = {
  hash: ({ text, strength }: { text: string; strength: Strength }) =>
    hash(text, { ...ARGON2ID, ...strength }),
  verify: ({ text, expected }: { text: string; expected: string }) => verify(expected, text),
  /** The same for the same salt. */
  digest: async ({ text, salt, strength }: { text: string; salt: Uint8Array; strength: Strength }) => {
    const raw = await hashRaw(text, { ...ARGON2ID, ...strength, salt: Buffer.from(salt) });
    return raw.toString('base64url');
  },
};

export type HashingTasks = typeof hashingTasks;
