import { randomUUID } from 'node:crypto';
import { identities } from '#host/db/accounts.tables';
import { passkeys } from '#host/db/factors.tables';
import type { TestHost } from './host';

/** Adds a Google account and a passkey to an account; returns their ids. */
export async function addSignInWays(
  host: TestHost,
  accountId: string,
  { email, name = 'Work laptop' }: { email: string; name?: string },
): Promise<{ google: string; passkey: string }> {
  const [google, passkey] = [randomUUID(), randomUUID()];
  const account = { accountId, createdAt: host.clock.now() };
  const issuer = 'https://accounts.google.com';
  await host.db.orm.insert(identities).values({ ...account, id: google, issuer, subject: google, email });
  const key = {
    credentialId: passkey,
    publicKey: new Uint8Array([1]),
    counter: 0,
    transports: ['internal'],
  };
  await host.db.orm.insert(passkeys).values({ ...account, ...key, id: passkey, name });
  return { google, passkey };
}
