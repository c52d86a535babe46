import { asWebsite } from '../../tests/support/internal-key';
import { HOST_PORT } from './ports';

interface Init extends RequestInit {
  token?: string | undefined;
  /** IP address of the visitor whom the website calls for. */
  address?: string | undefined;
}

/**
 * Calls the host as the website does for a visitor, by default one of their own per call, so that tests do not share
 * the limits of an address.
 */
export const host = {
  clock: { now: () => new Date() },

  request(path: string, { token, address = randomAddress(), ...init }: Init = {}): Promise<Response> {
    const headers = new Headers({ ...asWebsite, 'X-Client-Address': address });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    return fetch(`http://127.0.0.1:${HOST_PORT}${path}`, { ...init, headers });
  },
};

/** An IPv4 address of a private network. */
export function randomAddress(): string {
  return [10, ...crypto.getRandomValues(new Uint8Array(3))].join('.');
}
