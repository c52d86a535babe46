import { isIP } from 'node:net';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Address of the client. A website on the same machine names it in `x-client-address`; a proxy names it in the
 * header of the TRUST_PROXY setting, whose last entry is the one the proxy itself wrote. Nothing else is believed.
 */
export function clientAddress(
  peer: string,
  header: (name: string) => string | undefined,
  trustProxy: string | null,
) {
  const named =
    (LOOPBACK.has(peer) ? header('x-client-address') : undefined) ??
    (trustProxy ? header(trustProxy)?.split(',').at(-1) : undefined);
  const address = named?.trim() ?? '';
  return isIP(address) ? address : peer;
}
