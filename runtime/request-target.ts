import type { IncomingMessage } from 'node:http';
import { parseUrl } from '#contract/urls';

/** A target without anything that could be wrong with it. */
const PLAIN = /^\/[\w/?=&-]*$/;
/** `.` or `..` between slashes, each encoded or not. */
const DOT_SEGMENT = /^[^?]*(?:\/|%2f)(?:\.|%2e){1,2}(?:[/?]|%2f|$)/i;
/** Of scans, clicks, reports and actions. */
const CODE_PATH = /^\/(?:[rlb]\/[^/?]+|e\/[^/?]+\/[^/?]+)(?:\?|$)/i;
/** Of what is logged. */
export const LONGEST_PATH = 200;

/**
 * What is wrong with the request target, if anything. An absolute one, as sent to proxies, is reduced to its path, and
 * its host replaces the Host header (RFC 9112, section 3.2.2).
 */
export function targetProblem(request: IncomingMessage): string | null {
  const { url = '' } = request;
  if (PLAIN.test(url)) return null;
  // Once decoded, URL parsers read backslashes as slashes and drop tabs and line breaks, so that what
  // follows may become a host (https://url.spec.whatwg.org/#url-parsing).
  if (/^[^?]*(?:\\|%5c|%0[9ad])/i.test(url))
    return 'the path must not contain backslashes, tabs or line breaks';
  // A program behind a proxy that chooses it by the path as sent would find another path.
  if (DOT_SEGMENT.test(url)) return 'the path must not contain dot segments';
  if (url.includes('#')) return 'the request target must not contain a fragment';
  if (!isDecodable(url)) return 'the percent-encoding of the path is malformed';
  if (url.startsWith('/')) return null;
  const target = /^https?:\/\//i.test(url) ? parseUrl(url) : null;
  if (!target) return 'the request target is not a path';
  const { username, password, host, pathname, search } = target;
  if (username !== '' || password !== '') return 'the request target contains a user name or a password';
  request.url = pathname + search;
  request.headers.host = host;
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
  }
  return null;
}

/** Whether a path belongs to a code: a visit, or what a visitor does after it. */
export function isCodePath(url: string): boolean {
  return CODE_PATH.test(url);
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

/** Every recipient must find the same end of the body: codings other than `chunked` are refused. */
export function codingProblem({ headers }: IncomingMessage): string | null {
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked'
    ? null
    : 'the transfer coding is not supported';
}

/** The path without the query, which may hold a secret, and without the scheme and host of an absolute target. */
export function pathOf(url: string): string {
  // Nearly every target is a path: one that is none has to be parsed, and what fails to parse costs much more.
  const target = url.startsWith('/') ? null : parseUrl(url);
  const path = target?.pathname ?? url.split('?')[0] ?? '';
  return path.slice(0, LONGEST_PATH);
}

/**
 * The path as it may be logged. Which code it names stays out, because a program that could not ask the host does not
 * know whether visits of it may leave a trace.
 */
export function loggedPath(path: string): string {
  return path.replace(/^\/([rlbe])\/[^/]+/i, '/$1/{code}');
}

/** The value of a header, of several lines joined. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.join(', ');
}

/** How often a header occurs in a request: of several Host headers, Node keeps the first. */
export function timesGiven({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
