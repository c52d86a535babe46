import type { z } from 'zod';
import type { ErrorBody } from '#contract/errors';

/** A refusal of the host: its status, its message and the message codes by field. */
export class HostError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: Record<string, string[]>;
  /** How long to wait before it may be tried again, where the host says so. */
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
