import { hkdfSync } from 'node:crypto';
import { isSameText } from './same-text';
import { loadOrCreateSecret } from './stored-secret';

/**
 * Request header with the key by which gateway, website and host recognise each other. A sender with it is
 * trusted about a visitor's IP address (`x-client-ip`) and country (`x-client-country`), about visits that it
 * resends, about what a program asked for (`x-token-resource`), and about what is counted already (`x-call-counted`).
 */
export const INTERNAL_KEY_HEADER = 'x-internal-key';

export const CLIENT_IP_HEADER = 'x-client-ip';
/** Name until 0.1.0: a host must also work with a website of the previous release. Remove after the next release. */
export const OLD_CLIENT_IP_HEADER = 'x-client-address';

/** Id of a visit, the same however often the gateway sends it. */
export const VISIT_ID_HEADER = 'x-visit-id';
/** Set if the visit may have been sent before, to a program that did not respond. */
export const VISIT_RESENT_HEADER = 'x-visit-resent';

/** What the access token of a program has to be for, where the website answers it; by default the API. */
export const RESOURCE_HEADER = 'x-token-resource';

/** Set on a call that answers a request of a program together with one that has counted against its limit. */
export const COUNTED_HEADER = 'x-call-counted';

/** Keys derived from INTERNAL_SECRET, which is never sent itself: the first is sent, all are accepted. */
export function internalKeysOf(secrets: readonly string[]): string[] {
  return secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'quadrille internal key', 32)).toString('base64url'),
  );
}

/** The keys for these settings; without INTERNAL_SECRET, derived from a secret kept in the data folder. */
export function readInternalKeys(settings: { INTERNAL_SECRET?: string[] | undefined; DATA_DIR: string }) {
  return internalKeysOf(
    settings.INTERNAL_SECRET ?? [loadOrCreateSecret(settings.DATA_DIR, 'internal-secret')],
  );
}

/** Whether a header contains one of the keys; compares in constant time. */
export function isInternalKey(given: string | undefined, keys: readonly string[]): boolean {
  return given !== undefined && keys.some((key) => isSameText(given, key));
}
