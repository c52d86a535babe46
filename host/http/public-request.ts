import { Resolver } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { hostnameOf } from '#contract/own-addresses';
import { withDeadline } from '#runtime/deadline';
import { addressProblem, isPublicIp, literalOf } from './public-addresses';

export { addressProblem } from './public-addresses';

export interface PublicRequest {
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** For the whole: name, connection and response. */
  timeoutMs?: number;
  /** Of the body; what exceeds it is not read. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
}

export interface PublicResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Asks an address that a user typed. It follows no redirect: whoever does must pass each target again. Rejects with
 * `PublicRequestError`.
 */
export type RequestPublic = (address: string, options?: PublicRequest) => Promise<PublicResponse>;

/**
 * `refused`: not a public https address; `dns`: the name does not exist; `unsure`: nothing is known, as our own network
 * or resolver may be at fault, or only a certificate is missing that browsers fetch themselves.
 */
export type PublicRequestFailure = 'refused' | 'dns' | 'tls' | 'unreachable' | 'timeout' | 'unsure';

export class PublicRequestError extends Error {
  constructor(
    readonly failure: PublicRequestFailure,
    cause?: unknown,
  ) {
    super(`no response: ${failure}`, { cause });
  }
}

interface Network {
  /** All addresses of a name. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  isPublic(ip: string): boolean;
  tls?: SecureContextOptions;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const HEADER_BYTES = 16 * 1024;
const DNS_TIMEOUT_MS = 2_500;
const DNS_TRIES = 2;

/**
 * The one way from the host to addresses that users typed. A name is resolved once, all its addresses must be public, and
 * the connection goes to one of them, so that a name cannot lead elsewhere meanwhile.
 */
export function createPublicRequest(network: Network = { resolve, isPublic: isPublicIp }): RequestPublic {
  return async (address, { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, ...wanted } = {}) => {
    if (addressProblem(address)) throw new PublicRequestError('refused');
    return withDeadline(timeoutMs, signal, async (ends) => {
      try {
        const url = new URL(address);
        const addresses = await addressesOf(url, network, ends);
        const response = await send(url, { ...wanted, addresses, signal: ends, tls: network.tls });
        const { statusCode: status = 0, headers } = response;
        return { status, headers, body: await readUpTo(maxBytes, response) };
      } catch (thrown) {
        signal?.throwIfAborted();
        if (thrown instanceof PublicRequestError) throw thrown;
        throw new PublicRequestError(ends.aborted ? 'timeout' : failureOf(thrown), thrown);
      }
    });
  };
}

async function addressesOf(url: URL, network: Network, signal: AbortSignal): Promise<string[]> {
  const literal = literalOf(url);
  const addresses = literal === null ? await network.resolve(hostnameOf(url), signal) : [literal];
  signal.throwIfAborted();
  if (addresses.length === 0) throw new PublicRequestError('dns');
  if (!addresses.every(network.isPublic)) throw new PublicRequestError('refused');
  return addresses;
}

/** By DNS itself: the resolver of the system uses threads that files need, and knows names of this machine. */
async function resolve(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : []));
    if (found.length > 0) return found;
    const isUnknown = errors.every((code) => code === 'ENOTFOUND' || code === 'ENODATA');
    throw new PublicRequestError(isUnknown && (await knowsInternet(resolver)) ? 'dns' : 'unsure');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Resolvers of closed networks answer that no name outside exists. */
async function knowsInternet(resolver: Resolver): Promise<boolean> {
  const servers = await resolver.resolveNs('com').catch(() => []);
  return servers.length > 0;
}

interface Sent extends Pick<PublicRequest, 'method' | 'headers' | 'body'> {
  addresses: string[];
  signal: AbortSignal;
  tls: SecureContextOptions | undefined;
}

function send(url: URL, { method = 'GET', headers = {}, body, addresses, signal, tls }: Sent) {
  const options: RequestOptions = {
    ...tls,
    method,
    headers,
    signal,
    agent: false,
    maxHeaderSize: HEADER_BYTES,
    lookup: pinnedTo(addresses),
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options).once('response', resolve).once('error', reject).end(body);
  });
}

/** Answers every lookup of a connection with addresses that were checked. */
function pinnedTo(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, callback) => {
    const [first = { address: '', family: 0 }] = all;
    if (wantsAll) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

async function readUpTo(maxBytes: number, response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Browsers fetch a certificate that is missing between that of the server and one they know. */
const MISSING_CERTIFICATE = ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'];
const OWN_NETWORK = ['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE'];
const TLS_ERROR = /^(?:ERR_(?:TLS|SSL)|EPROTO$|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH)|SELF_SIGNED|CERTIFICATE/;

function failureOf(thrown: unknown): PublicRequestFailure {
  const errors: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const codes = errors.map(codeOf);
  if (codes.every((code) => [...OWN_NETWORK, ...MISSING_CERTIFICATE].includes(code))) return 'unsure';
  if (codes.some((code) => TLS_ERROR.test(code))) return 'tls';
  return codes.includes('ETIMEDOUT') ? 'timeout' : 'unreachable';
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}
