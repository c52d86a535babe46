import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const OWN_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether a program on this machine makes the call for itself. The peer of the socket decides: loopback, or the very
 * address that was called, for a host that binds an address of its network alone. A call that was passed on by a proxy, or
 * that names another host (a page elsewhere whose name was rebound to this machine), does not count. `app.request()` in
 * tests has no socket and is taken for a call from this machine.
 */
export function isLoopbackCall(context: Context): boolean {
  return (
    isFromHere(context) &&
    OWN_NAMES.has(new URL(context.req.url).hostname) &&
    FORWARDED.every((name) => context.req.header(name) === undefined)
  );
}

function isFromHere({ env }: Context): boolean {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return true;
  const { remoteAddress = '', localAddress } = (env as HttpBindings).incoming.socket;
  return LOOPBACK.test(remoteAddress) || remoteAddress === localAddress;
}
