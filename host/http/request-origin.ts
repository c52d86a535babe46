import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { isSameOrigin } from '#runtime/same-origin';
import { ApiError } from './errors';
import { auditRefusedRequest } from './mount';

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Refuses cross-site form posts, and bodies that are no form. */
export function requireSameOriginForm(context: Context): void {
  requireSameOrigin(context);
  requireType(context, FORM_TYPES);
}

/** The same for JSON bodies, which other sites cannot send without a CORS preflight. */
export function requireSameOriginJson(context: Context): void {
  requireSameOrigin(context);
  requireType(context, ['application/json']);
}

/** Refuses reads by pages of other sites; navigation is allowed from anywhere. */
export function requireSameOriginReader(context: Context): void {
  if (context.req.header('sec-fetch-mode') !== 'navigate') requireSameOrigin(context, ['same-site']);
}

function requireSameOrigin(context: Context, others: string[] = []): void {
  const { host } = new URL(context.req.url);
  if (isSameOrigin((name) => context.req.header(name), host, others)) return;
  auditRefusedRequest(context, 'cross_site');
  throw new ApiError('forbidden');
}

function requireType(context: Context, types: string[]): void {
  const [type = ''] = (context.req.header('content-type') ?? '').split(';');
  if (!types.includes(type.trim().toLowerCase())) throw new ApiError('unsupported_type');
}

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
