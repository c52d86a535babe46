/**
 * The URL under which a program on the same machine reaches the host: at the address that it binds, or at loopback if
 * it binds all or none is given.
 *
 * @param {string | undefined} bound HOST_ADDRESS
 * @param {string | number} port HOST_PORT
 */
export function ownHostUrl(bound, port) {
  const address = !bound || bound === '0.0.0.0' || bound === '::' ? '127.0.0.1' : bound;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
