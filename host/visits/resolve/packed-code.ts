import { LRUCache } from 'lru-cache';
import { type CodeType, DEFAULT_TYPE, hasField, isDynamic, TYPE_NUMBERS } from '#contract/contents/contents';
import type { Routing } from '#contract/routing-rules';

/** What a visit needs of a code. */
export interface CachedCode {
  id: string;
  accountId: string;
  type: CodeType;
  /** For a link the target URL, in ASCII. */
  content: string;
  subject: string;
  body: string;
  isPrivate: boolean;
  isDeleted: boolean;
  /** False if visits must leave no trace. */
  isCounted: boolean;
  /** An operator blocked the code or the host it links to. */
  isBlocked: boolean;
  /** For a text, its URLs at blocked hosts, which are not offered as links; and targets of its routing there. */
  blockedLinks: string[];
  /** Null if every visit gets the content. */
  routing: Routing | null;
}

const [PRIVATE, DELETED, BLOCKED, BLOCKED_LINKS, UNCOUNTED, ROUTED] = [1, 2, 4, 8, 16, 32];
const HEADER_LENGTH = 34;

/**
 * A code as one string: its type, its flags, the two ids as sixteen characters each, then the content; with a subject,
 * with blocked links or with a routing, as JSON with those.
 *
 * Objects that share the ids of accounts would be simpler, but take 232 bytes a code instead of 104, beside the 58 of the
 * cache. A host that caches 200,000 codes, the default, has 174 MB after a load; with objects it had 234 MB of its 200.
 */
export function packCode(code: CachedCode): string {
  const flags =
    (code.isPrivate ? PRIVATE : 0) +
    (code.isDeleted ? DELETED : 0) +
    (code.isBlocked ? BLOCKED : 0) +
    (code.blockedLinks.length > 0 ? BLOCKED_LINKS : 0) +
    (code.isCounted ? 0 : UNCOUNTED) +
    (code.routing ? ROUTED : 0);
  const type = TYPE_NUMBERS.indexOf(code.type);
  return String.fromCharCode(type, flags) + packId(code.id) + packId(code.accountId) + packTexts(code);
}

function unpackCode(text: string): CachedCode {
  const type = (typeOf(text) ?? DEFAULT_TYPE) as CodeType;
  const flags = text.charCodeAt(1);
  return {
    id: unpackId(text, 2),
    accountId: unpackId(text, 18),
    type,
    ...unpackTexts(text.slice(HEADER_LENGTH), type, flags),
    isPrivate: (flags & PRIVATE) !== 0,
    isDeleted: (flags & DELETED) !== 0,
    isBlocked: (flags & BLOCKED) !== 0,
    isCounted: (flags & UNCOUNTED) === 0,
  };
}

type Texts = Pick<CachedCode, 'content' | 'subject' | 'body' | 'blockedLinks' | 'routing'>;

function packTexts({ type, content, subject, body, blockedLinks, routing }: CachedCode): string {
  if (routing) return JSON.stringify({ content, subject, body, blockedLinks, routing } satisfies Texts);
  if (hasField(type, 'subject')) return JSON.stringify([content, subject, body]);
  return blockedLinks.length > 0 ? JSON.stringify([content, ...blockedLinks]) : content;
}

function unpackTexts(packed: string, type: CachedCode['type'], flags: number): Texts {
  if ((flags & ROUTED) !== 0) return JSON.parse(packed) as Texts;
  const texts: Texts = { content: packed, subject: '', body: '', blockedLinks: [], routing: null };
  if (hasField(type, 'subject')) {
    const [content, subject, body] = JSON.parse(packed) as [string, string, string];
    return { ...texts, content, subject, body };
  }
  if ((flags & BLOCKED_LINKS) === 0) return texts;
  const [content, ...blockedLinks] = JSON.parse(packed) as [string, ...string[]];
  return { ...texts, content, blockedLinks };
}

function packId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1');
}

function unpackId(text: string, from: number): string {
  const hex = Buffer.from(text.slice(from, from + 16), 'latin1').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Enough for 89 years in base 36. */
const TIME_CHARS = 8;

/** A packed code and when it was read, in whole milliseconds of `performance.now()`; 0 if it came from the snapshot. */
export function writeEntry(packed: string, readAt: number): string {
  return flat(readAt.toString(36).padStart(TIME_CHARS, '0') + packed);
}

/** The entries of codes with a routing, unpacked: that of twenty rules takes longer than the rest of a visit. */
const unpacked = new LRUCache<string, CachedCode>({ max: 2_000 });

export function codeOf(entry: string): CachedCode {
  if ((entry.charCodeAt(TIME_CHARS + 1) & ROUTED) === 0) return unpackCode(entry.slice(TIME_CHARS));
  let code = unpacked.get(entry);
  if (!code) {
    code = unpackCode(entry.slice(TIME_CHARS));
    unpacked.set(entry, code);
  }
  return code;
}

export function readAtOf(entry: string): number {
  return Number.parseInt(entry.slice(0, TIME_CHARS), 36);
}

/** The packed code, if anybody may see it. */
export function publicCodeOf(entry: string | undefined): string | null {
  const packed = entry?.slice(TIME_CHARS);
  return packed !== undefined && isPublic(packed) ? packed : null;
}

/** False for private, deleted and blocked codes, and for those whose short address leads nowhere. */
function isPublic(text: string): boolean {
  return (text.charCodeAt(1) & (PRIVATE | DELETED | BLOCKED)) === 0 && isDynamic(typeOf(text) ?? '');
}

function typeOf(text: string): string | undefined {
  return TYPE_NUMBERS[text.charCodeAt(0)];
}

/**
 * A copy of a string in one piece. What `+` returns is to V8 a tree of the strings it was made of (a rope), with more
 * than twice the memory; a string that is decoded from a buffer has one byte a character, or two if it needs them.
 */
function flat(text: string): string {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 255) return Buffer.from(text, 'utf16le').toString('utf16le');
  }
  return Buffer.from(text, 'latin1').toString('latin1');
}
