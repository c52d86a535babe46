/** What a visit needs to know of a code. */
export interface KnownCode {
  id: string;
  accountId: string;
  type: 'link' | 'text' | 'email' | 'wifi';
  /** Of a link where it leads, in ASCII. */
  content: string;
  subject: string;
  body: string;
  isPrivate: boolean;
  isDeleted: boolean;
  /** An operator keeps it from leading anywhere, or everything from leading where it does. */
  isBlocked: boolean;
}

const TYPES: KnownCode['type'][] = ['link', 'text', 'email', 'wifi'];
const [PRIVATE, DELETED, BLOCKED] = [8, 16, 32];
const HEAD = 33;

/**
 * A code as one flat string, a quarter of the memory of an object: type and flags, the two ids as sixteen characters
 * each, then the content; with subject and body as JSON where it is an e-mail.
 */
export function packCode(code: KnownCode): string {
  const flags =
    TYPES.indexOf(code.type) +
    (code.isPrivate ? PRIVATE : 0) +
    (code.isDeleted ? DELETED : 0) +
    (code.isBlocked ? BLOCKED : 0);
  const { content, subject, body } = code;
  const rest = code.type === 'email' ? JSON.stringify([content, subject, body]) : content;
  return flat(String.fromCharCode(flags) + packId(code.id) + packId(code.accountId) + rest);
}

export function unpackCode(text: string): KnownCode {
  const flags = text.charCodeAt(0);
  const type = TYPES[flags & 7] ?? 'link';
  const rest = text.slice(HEAD);
  const [content, subject, body] =
    type === 'email' ? (JSON.parse(rest) as [string, string, string]) : [rest, '', ''];
  return {
    id: unpackId(text, 1),
    accountId: unpackId(text, 17),
    type,
    content,
    subject,
    body,
    isPrivate: (flags & PRIVATE) !== 0,
    isDeleted: (flags & DELETED) !== 0,
    isBlocked: (flags & BLOCKED) !== 0,
  };
}

/** True for what anybody is led to: neither private nor deleted nor blocked, and not a network, whose address leads nowhere. */
export function isPublic(text: string): boolean {
  const flags = text.charCodeAt(0);
  return (flags & (PRIVATE | DELETED | BLOCKED)) === 0 && TYPES[flags & 7] !== 'wifi';
}

function packId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1');
}

function unpackId(text: string, from: number): string {
  const hex = Buffer.from(text.slice(from, from + 16), 'latin1').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Without the parts it was put together from. */
function flat(text: string): string {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) > 255) return Buffer.from(text, 'utf16le').toString('utf16le');
  }
  return Buffer.from(text, 'latin1').toString('latin1');
}
