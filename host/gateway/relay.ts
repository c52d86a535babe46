import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Pool } from 'undici';

export type Relayed =
  /** The answer is on its way to the client, or the client has left. */
  | { kind: 'answered' }
  /** The host names a page of the website that is to be shown in its place, under the same address. */
  | { kind: 'redirected'; path: string }
  | { kind: 'refused' }
  /** `isDisconnected` when nothing listened or the connection broke, so that another try may go through. */
  | { kind: 'failed'; isDisconnected: boolean; isBadRequest: boolean };

interface Options {
  /** Names and values in turn. */
  headers: string[];
  /** Keeps the request's body back. */
  isBodiless?: boolean;
  /** Keeps back an answer with this status. */
  isRefused?: (status: number) => boolean;
  /** How long an answer may take to begin, waiting for a free connection included. */
  answerMs?: number;
}

const INTERNAL_REDIRECT = 'x-accel-redirect';
const OF_ONE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Sends a request on and streams the answer back, each as fast as the other side takes it. Resolves when it is known
 * what becomes of it; nothing is written to `response` unless it is `answered`. Never rejects.
 */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  pool: Pool,
  path: string,
  { headers, isBodiless = false, isRefused, answerMs }: Options,
): Promise<Relayed> {
  return new Promise((resolve) => {
    let isKept = false;
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
      finish({ kind: 'failed', isDisconnected: false, isBadRequest: false });
      abort?.();
    };
    const timer = answerMs === undefined ? undefined : setTimeout(giveUp, answerMs);
    try {
      pool.dispatch(
        {
          path,
          method: request.method as 'GET',
          headers,
          body: !isBodiless && hasBody(request) ? request : null,
        },
        {
          onConnect(stop) {
            abort = stop;
            if (response.destroyed || isFinished) stop();
          },
          onHeaders(status, rawHeaders, resume) {
            if (status < 200 || isFinished) return true;
            clearTimeout(timer);
            const fields = (rawHeaders as Buffer[]).map((field) => field.toString('latin1'));
            const page = findField(fields, INTERNAL_REDIRECT);
            if (page !== undefined) finish({ kind: 'redirected', path: page });
            else if (isRefused?.(status)) finish({ kind: 'refused' });
            else {
              // Nobody reads what is left of a body once the answer is there.
              if (!request.complete) response.shouldKeepAlive = false;
              writeHead(response, status, fields);
              response.on('drain', resume);
              isKept = true;
            }
            return true;
          },
          onData: (chunk) => !isKept || response.write(chunk),
          onComplete() {
            if (!isKept) return;
            response.end();
            finish({ kind: 'answered' });
          },
          onError(error) {
            // What has begun cannot be taken back: the client sees that it broke off.
            if (isKept) response.destroy();
            finish(isKept || response.destroyed ? { kind: 'answered' } : failure(error));
          },
        },
      );
    } catch (error) {
      // A path or a header that HTTP does not allow.
      finish(failure(error));
    }
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function writeHead(response: ServerResponse, status: number, fields: string[]): void {
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (!OF_ONE_CONNECTION.has(name.toLowerCase())) kept.push(name, fields[at + 1] as string);
  }
  response.writeHead(status, kept);
}

function findField(fields: string[], wanted: string): string | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === wanted);
  return at < 0 ? undefined : fields[at + 1];
}

function failure(error: unknown): Relayed {
  const isDisconnected =
    error instanceof errors.SocketError ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '');
  const isBadRequest =
    error instanceof errors.InvalidArgumentError || error instanceof errors.RequestContentLengthMismatchError;
  return { kind: 'failed', isDisconnected, isBadRequest };
}
