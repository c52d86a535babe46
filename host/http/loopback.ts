import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const OWN_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether a call comes directly from a program on this machine. The peer of the socket decides: loopback, or the
 * called address itself, for a host that binds only an address of its network. A call forwarded by a proxy, or for
 * another host name (DNS rebinding), does not count. `app.request()` in tests has no socket and counts as local.
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
