import { createHash } from 'node:crypto';
import { and, eq, isNull, lt } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import { idempotentRequests } from '#host/db/keys.tables';
import { ApiError } from './errors';

/** A request that takes effect once, however often it is sent. */
export interface Once {
  keyId: string;
  path: string;
  idempotencyKey: string;
  /** From `fingerprintOf`. */
  fingerprint: string;
}

interface Answer {
  status: number;
  /** JSON, sealed. */
  body: string;
  etag: string | null;
}

const KEPT_MS = DAY_MS;
/** A request without an answer after this long has failed or was cut off with its host, and may be tried again. */
const RUNNING_MS = 60_000;
/** Printable ASCII, as in a Structured-Field string or bare. */
export const IDEMPOTENCY_KEY = /^"?([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"?$/;

/** The value of the header; undefined without one. Throws `malformed` if it is none. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, key] = IDEMPOTENCY_KEY.exec(header) ?? [];
  if (!key)
    throw new ApiError('malformed', {
      detail:
        'The header Idempotency-Key is malformed: send 1 to 255 ASCII characters without quotes and backslashes.',
    });
  return key;
}

/** What a request asks for, once it is validated: files count by their contents. */
export async function fingerprintOf(input: Record<string, unknown>): Promise<string> {
  const hash = createHash('sha256');
  const { form, ...others } = input;
  hash.update(JSON.stringify(others));
  for (const [name, value] of Object.entries(form ?? {})) {
    hash.update(`\n${name}:`);
    if (value instanceof Blob) hash.update(Buffer.from(await value.arrayBuffer()));
    else hash.update(JSON.stringify(value) ?? '');
  }
  return hash.digest('base64url');
}

const isRequest = ({ keyId, path, idempotencyKey }: Once) =>
  and(
    eq(idempotentRequests.keyId, keyId),
    eq(idempotentRequests.path, path),
    eq(idempotentRequests.idempotencyKey, idempotencyKey),
  );

/**
 * Claims a request: returns the answer to an earlier one, or a name for this one, the same if it is tried again because
 * it failed or its host was killed. Throws `idempotency_mismatch` if the key was used for something else, and
 * `idempotency_running`.
 */
export async function claimRequest(
  orm: Orm,
  once: Once,
  now: Date,
): Promise<{ answer: Answer } | { name: string }> {
  const before = new Date(now.getTime() - KEPT_MS);
  await orm.delete(idempotentRequests).where(and(isRequest(once), lt(idempotentRequests.startedAt, before)));
  const claimed = await orm
    .insert(idempotentRequests)
    .values({ ...once, startedAt: now })
    .onConflictDoNothing()
    .returning({ keyId: idempotentRequests.keyId });
  if (claimed.length > 0) return { name: nameOf(once, now) };
  const [earlier] = await orm.select().from(idempotentRequests).where(isRequest(once));
  // Refused in the meantime.
  if (!earlier) throw new ApiError('idempotency_running', { retryAfterSeconds: 1 });
  const { fingerprint, status, body, etag, startedAt } = earlier;
  if (fingerprint !== once.fingerprint) throw new ApiError('idempotency_mismatch');
  if (status !== null) return { answer: { status, body: body ?? '', etag } };
  if (now.getTime() - startedAt.getTime() < RUNNING_MS)
    throw new ApiError('idempotency_running', { retryAfterSeconds: 1 });
  return { name: nameOf(once, startedAt) };
}

function nameOf({ keyId, path, idempotencyKey }: Once, startedAt: Date): string {
  const named = JSON.stringify([keyId, path, idempotencyKey, startedAt.getTime()]);
  return `once:${createHash('sha256').update(named).digest('base64url')}`;
}

/** An id for what a request with this name makes. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  // Version 8 (RFC 9562, section 5.8).
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

export async function storeAnswer(orm: Orm, once: Once, answer: Answer): Promise<void> {
  await orm.update(idempotentRequests).set(answer).where(isRequest(once));
}

/** Lets a request that was refused be corrected and sent again with the same key. */
export async function releaseRequest(orm: Orm, once: Once): Promise<void> {
  await orm.delete(idempotentRequests).where(and(isRequest(once), isNull(idempotentRequests.status)));
}

export async function dropOldRequests(orm: Orm, now: Date): Promise<void> {
  await orm
    .delete(idempotentRequests)
    .where(lt(idempotentRequests.startedAt, new Date(now.getTime() - KEPT_MS)));
}
