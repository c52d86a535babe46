import { randomBytes, randomUUID } from 'node:crypto';
import { hashOfSecret, makeSecret } from '#host/accounts/key-secrets';
import type { Database } from '#host/db/client';
import { apiKeys } from '#host/db/keys.tables';

/** Gives an account as many keys as its calls need, of which each may make 300 a minute; returns their secrets. */
export async function makeKeys({ orm }: Database, accountId: string, count: number): Promise<string[]> {
  const secrets = Array.from({ length: count }, () => makeSecret(randomBytes));
  await orm.insert(apiKeys).values(
    secrets.map((secret) => ({
      id: randomUUID(),
      accountId,
      name: 'bench',
      permission: 'change' as const,
      hash: hashOfSecret(secret) ?? '',
      lastFour: secret.slice(-4),
      createdAt: new Date(),
    })),
  );
  return secrets;
}
