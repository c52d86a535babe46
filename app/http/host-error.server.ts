import { data } from '@remix-run/node';
import type { z } from 'zod';
import type { ErrorBody } from '#contract/errors';

/** A refusal by the host: its status, its message and the message codes by field. */
export class HostError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Record<string, string[]>;
  /** Seconds to wait before a retry, if the host sent Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: z.infer<typeof ErrorBody>, retryAfter: string | null = null) {
    super(body.message);
    this.name = 'HostError';
    this.status = status;
    this.code = String(body.code ?? status);
    this.errors = body.errors ?? {};
    this.retryAfterSeconds = retryAfter ? Number(retryAfter) : undefined;
  }
}

/** Whether the host does not know what a call was about, perhaps not any more. */
export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof HostError && thrown.status === 404;
}

/** A call whose page does not exist if the host does not know what the call is about. */
export async function orNotFound<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    throw isNotFound(thrown) ? data(null, { status: 404 }) : thrown;
  }
}

/** A call that counts as done if what it would end is already gone. */
export async function orAlreadyGone(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}
