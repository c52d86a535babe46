import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { loadOrCreateSecret } from './stored-secret';

/**
 * Request header with the key by which gateway, website and host know each other. Who brings it is believed about the
 * address (`x-client-address`) and the country (`x-client-country`) of a visitor.
 */
export const INTERNAL_KEY_HEADER = 'x-internal-key';

/** The keys of INTERNAL_SECRET: the first is sent, all are accepted. The secret itself is never sent. */
export function internalKeysOf(secrets: readonly string[]): string[] {
  return secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'quadrille internal key', 32)).toString('base64url'),
  );
}

/** Those of the settings; without INTERNAL_SECRET of one kept in the data folder. */
export function readInternalKeys(settings: { INTERNAL_SECRET?: string[] | undefined; DATA_DIR: string }) {
  return internalKeysOf(
    settings.INTERNAL_SECRET ?? [loadOrCreateSecret(settings.DATA_DIR, 'internal-secret')],
  );
}

/** Whether a header holds one of the keys; takes the same time wherever they differ. */
export function isInternalKey(given: string | undefined, keys: readonly string[]): boolean {
  if (given === undefined) return false;
  const bytes = Buffer.from(given);
  return keys.some((key) => bytes.length === key.length && timingSafeEqual(bytes, Buffer.from(key)));
}
