import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text that must not be readable in the database (AES-256-GCM), with a key derived from the first secret.
 * It can only be decrypted for the same `owner`.
 */
export function seal(
  plain: Uint8Array,
  owner: string,
  { secrets, random }: { secrets: string[]; random(bytes: number): Uint8Array },
): string {
  const iv = random(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secrets[0] ?? ''), iv).setAAD(Buffer.from(owner));
  const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url');
}

/** Decrypts with the secret it was sealed with; throws if that is none of these. */
export function unseal(
  sealed: string,
  owner: string,
  secrets: string[],
): { plain: Uint8Array; isCurrent: boolean } {
  for (const [place, secret] of secrets.entries()) {
    const plain = tryUnseal(Buffer.from(sealed, 'base64url'), owner, keyOf(secret));
    if (plain) return { plain, isCurrent: place === 0 };
  }
  throw new Error('sealed with a secret that is no longer among those of JWT_SECRET');
}

/** The same sealed with the first secret, or null if it is already; throws if none of them opens it. */
export function reseal(
  sealed: string,
  owner: string,
  sealing: { secrets: string[]; random(bytes: number): Uint8Array },
): string | null {
  const { plain, isCurrent } = unseal(sealed, owner, sealing.secrets);
  return isCurrent ? null : seal(plain, owner, sealing);
}

/**
 * Goes through all rows with sealed secrets, so that an older secret can be removed from JWT_SECRET afterwards. `list`
 * returns those after a row, in an order; one that cannot be opened is logged and does not stop the others.
 */
export async function resealAll<Row>(
  log: Logger,
  {
    list,
    ownerOf,
    act,
  }: {
    list: (last: Row | undefined) => Promise<Row[]>;
    ownerOf: (row: Row) => string;
    act: (row: Row) => Promise<unknown>;
  },
): Promise<void> {
  for (let rows = await list(undefined); rows.length > 0; rows = await list(rows.at(-1))) {
    for (const row of rows) {
      await act(row).catch((error: unknown) =>
        log.error({ err: error, owner: ownerOf(row) }, 'a sealed secret cannot be decrypted'),
      );
    }
  }
}

function tryUnseal(bytes: Buffer, owner: string, key: Uint8Array): Uint8Array | null {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Named after what was sealed first; `owner` tells apart what is sealed with it. */
function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'quadrille: secrets of second factors', 32));
}
