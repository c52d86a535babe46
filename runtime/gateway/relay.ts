import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Pool } from 'undici';

export type Relayed =
  /** The response is being sent to the client, or the client has disconnected. */
  | { kind: 'responded' }
  /** The host names a page of the website to be shown instead, under the same URL. */
  | { kind: 'redirected'; path: string }
  | { kind: 'refused' }
  | { kind: 'failed'; reason: Failure };

/**
 * `unsent` if nothing listened, so that no program has seen the request; `broken` if the connection broke before the
 * response began; `malformed` if the request cannot be forwarded.
 */
export type Failure = 'unsent' | 'broken' | 'malformed' | 'silent';

interface Options {
  /** Alternating names and values. */
  headers: string[];
  /** Does not send the request's body. */
  isBodiless?: boolean;
  /** Does not forward a response with this status. */
  isRefused?: (status: number) => boolean;
  /** Time limit for the start of the response, including the wait for a free connection. */
  responseMs?: number;
  /** The same without that wait, and from when the body has been sent. */
  headersTimeout?: number;
  /** Called when the response begins. */
  onBegin?: () => void;
}

const INTERNAL_REDIRECT = 'x-accel-redirect';
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Forwards a request and streams the response back, with back-pressure both ways. Resolves when the outcome is known;
 * nothing is written to `response` unless it is `responded`. Never rejects.
 */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  pool: Pool,
  path: string,
  { headers, isBodiless = false, isRefused, responseMs, headersTimeout = 0, onBegin }: Options,
): Promise<Relayed> {
  return new Promise((resolve) => {
    let isKept = false;
    let isSent = false;
    let abort: (() => void) | undefined;
    const leave = () => abort?.();
    let isFinished = false;
    const finish = (outcome: Relayed) => {
      isFinished = true;
      clearTimeout(timer);
      response.off('close', leave);
      resolve(outcome);
    };
    response.once('close', leave);
    const giveUp = () => {
      finish({ kind: 'failed', reason: 'silent' });
      abort?.();
    };
    const timer = responseMs === undefined ? undefined : setTimeout(giveUp, responseMs);
    try {
      pool.dispatch(
        {
          path,
          method: request.method as 'GET',
          headers,
          headersTimeout,
          body: !isBodiless && hasBody(request) ? request : null,
        },
        {
          onConnect(stop) {
            abort = stop;
            isSent = true;
            if (response.destroyed || isFinished) stop();
          },
          onHeaders(status, rawHeaders, resume) {
            if (status < 200 || isFinished) return true;
            clearTimeout(timer);
            onBegin?.();
            const { headers, page } = readHeaders(rawHeaders as Buffer[]);
            if (page !== undefined) finish({ kind: 'redirected', path: page });
            else if (isRefused?.(status)) finish({ kind: 'refused' });
            else {
              // The rest of the body is not read once the response has arrived.
              if (!request.complete) response.shouldKeepAlive = false;
              response.writeHead(status, headers);
              response.on('drain', resume);
              isKept = true;
            }
            return true;
          },
          onData: (chunk) => !isKept || response.write(chunk),
          onComplete() {
            if (!isKept) return;
            response.end();
            finish({ kind: 'responded' });
          },
          onError(error) {
            // A response that has begun cannot be replaced: the client sees it break off.
            if (isKept) response.destroy();
            const isOver = isKept || response.destroyed;
            finish(isOver ? { kind: 'responded' } : { kind: 'failed', reason: reasonOf(error, isSent) });
          },
        },
      );
    } catch (error) {
      // A path or a header that is invalid in HTTP.
      finish({ kind: 'failed', reason: reasonOf(error, isSent) });
    }
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The headers to send on, as alternating names and values, and the page of an internal redirect. */
function readHeaders(fields: Buffer[]): { headers: string[]; page: string | undefined } {
  const headers: string[] = [];
  let page: string | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] as Buffer).toString('latin1');
    const value = (fields[at + 1] as Buffer).toString('latin1');
    const lower = name.toLowerCase();
    if (lower === INTERNAL_REDIRECT) page ??= value;
    else if (!HOP_BY_HOP.has(lower)) headers.push(name, value);
  }
  return { headers, page };
}

function reasonOf(error: unknown, isSent: boolean): Failure {
  if (
    error instanceof errors.InvalidArgumentError ||
    error instanceof errors.RequestContentLengthMismatchError
  )
    return 'malformed';
  const isDisconnected =
    error instanceof errors.SocketError ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '');
  if (!isDisconnected) return 'silent';
  return isSent ? 'broken' : 'unsent';
}
