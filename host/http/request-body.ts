import { parseFormData } from '@remix-run/form-data-parser';
import type { Context } from 'hono';
import { isCompressed } from '#runtime/request-bodies';
import { ApiError } from './errors';
import { headerOf } from './request-headers';

export interface BodyLimits {
  maxBytes: number;
  /** How long the whole body may take to arrive, in milliseconds. */
  timeoutMs: number;
  /** Whether its `Content-Type` has to say what it is. */
  isTyped?: boolean;
}

/** Limit of bodies whose call or route declares no other. */
export const DEFAULT_MAX_BYTES = 64 * 1024;
const OVERRUN_BYTES = 1024 * 1024;
const ARRIVAL_MS = 10_000;
/** A connection with 400 kbit/s. */
const MIN_BYTES_PER_MS = 50;
/** More than any call needs; parsing time grows much faster with depth than with length. */
const MAX_JSON_DEPTH = 20;
const MAX_PARTS = 40;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
const FORM_TYPE = /^multipart\/form-data$/;

/** Limits of a body of at most `maxBytes`: ten seconds, plus the time for that size over a slow connection. */
export function bodyLimits(maxBytes = DEFAULT_MAX_BYTES): BodyLimits {
  return { maxBytes, timeoutMs: ARRIVAL_MS + maxBytes / MIN_BYTES_PER_MS };
}

/**
 * The body of a request; throws `unsupported_type` for a compressed one, `too_large` as soon as possible,
 * `request_timeout`, or `malformed` if it breaks off.
 */
async function readBody(context: Context, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  if (isCompressed(headerOf(context, 'content-encoding'))) {
    // RFC 9110, section 12.5.3.
    context.header('Accept-Encoding', 'identity');
    throw new ApiError('unsupported_type');
  }
  const announced = Number(headerOf(context, 'content-length') ?? 0);
  if (announced > limits.maxBytes) {
    // A body that is slightly too long is read, so that the client gets the response; a longer one is cut off.
    if (announced > limits.maxBytes + OVERRUN_BYTES) context.header('Connection', 'close');
    throw new ApiError('too_large');
  }
  const reader = context.req.raw.body?.getReader();
  if (!reader) return new Uint8Array();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // The rest may never arrive.
      context.header('Connection', 'close');
      reject(new ApiError('request_timeout'));
    }, limits.timeoutMs);
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(refuseBroken), deadline]);
      if (done) return new Uint8Array(Buffer.concat(chunks));
      size += value.byteLength;
      if (size > limits.maxBytes) throw new ApiError('too_large');
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function refuseBroken(): never {
  throw new ApiError('malformed', { detail: 'The body broke off before its end.' });
}

/** The body as text; see `readBody` for what it throws. */
export async function readText(context: Context, limits = bodyLimits()): Promise<string> {
  return new TextDecoder().decode(await readBody(context, limits));
}

/** Throws `unsupported_type` if a body that has to be typed is of another type. */
function requireType(context: Context, { isTyped = false }: BodyLimits, type: RegExp): void {
  const [given = ''] = (headerOf(context, 'content-type') ?? '').split(';');
  if (isTyped && !type.test(given.trim().toLowerCase())) throw new ApiError('unsupported_type');
}

/** The body as JSON, an empty one as `{}`; throws `malformed` if it is invalid or nested too deeply. */
export async function readJson(context: Context, limits = bodyLimits()): Promise<unknown> {
  const text = await readText(context, limits);
  if (text === '') return {};
  requireType(context, limits, JSON_TYPE);
  if (isNestedTooDeeply(text))
    throw new ApiError('malformed', { detail: 'The JSON of the body is nested too deeply.' });
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('malformed', { detail: 'The body is not valid JSON.' });
  }
}

/** The fields of a form, without empty ones; throws `malformed` if it is no form. */
export async function readForm(
  context: Context,
  limits = bodyLimits(),
): Promise<Record<string, FormDataEntryValue>> {
  const body = await readBody(context, limits);
  requireType(context, limits, FORM_TYPE);
  const headers = { 'Content-Type': headerOf(context, 'content-type') ?? '' };
  const { maxBytes } = limits;
  try {
    const form = await parseFormData(new Request('http://localhost', { method: 'POST', headers, body }), {
      maxTotalSize: maxBytes,
      maxFileSize: maxBytes,
      maxFiles: 1,
      maxParts: MAX_PARTS,
    });
    // Untouched controls send an empty part, which means the same as none.
    return Object.fromEntries(
      [...form].filter(([, value]) => (value instanceof Blob ? value.size > 0 : value !== '')),
    );
  } catch (error) {
    const isTooLarge = error instanceof Error && error.name.includes('Exceeded');
    throw new ApiError(
      isTooLarge ? 'too_large' : 'malformed',
      isTooLarge ? {} : { detail: 'The body is not a valid form (multipart/form-data).' },
    );
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

function isNestedTooDeeply(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (isInString) {
      if (char === BACKSLASH) at += 1;
      else if (char === QUOTE) isInString = false;
    } else if (char === QUOTE) isInString = true;
    else if (CLOSING.has(char)) depth -= 1;
    else if (OPENING.has(char)) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    }
  }
  return false;
}
