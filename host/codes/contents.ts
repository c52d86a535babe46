import { CONTENT_LIMIT, type CodeType } from '#contract/codes';
import type { Deps } from '#host/http/deps';
import type { MessageCode } from '#host/http/message-codes';

type Read = { content: string } | { refused: MessageCode };
/** Addresses under which codes of ours are opened. */
type Own = Pick<Deps['settings'], 'publicUrl' | 'shortUrl'>;

/** What is stored for a content of this type, or the message code that says why it is refused. */
export function readContent(type: CodeType, typed: string, own: Own): Read {
  if (type === 'link') return readLink(typed, own);
  if (type === 'email' && !EMAIL.test(typed)) return { refused: 'email_invalid' };
  if (type === 'wifi' && !isWifi(typed)) return { refused: 'wifi_invalid' };
  return { content: typed };
}

/** WHATWG HTML, "valid e-mail address", with a dot required in the domain. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

function readLink(typed: string, own: Own): Read {
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))/i.exec(typed)?.[1]?.toLowerCase();
  const link = scheme ? typed : `https://${typed}`;
  if ((scheme && scheme !== 'http' && scheme !== 'https') || !URL.canParse(link))
    return { refused: 'link_invalid' };
  const url = new URL(link);
  const named = url.hostname.includes('.') || url.hostname === 'localhost' || url.hostname.startsWith('[');
  if (!named || url.username || url.password || /\s/.test(typed)) return { refused: 'link_invalid' };
  if ([own.publicUrl, own.shortUrl].some((address) => leadsToCode(url, new URL(address))))
    return { refused: 'link_own' };
  return [...url.href].length > CONTENT_LIMIT ? { refused: 'content_too_long' } : { content: url.href };
}

/** A code that opens another, or itself, can turn in circles, and each turn would count as a visit. */
function leadsToCode(link: URL, own: URL): boolean {
  const base = own.pathname.replace(/\/?$/, '/').toLowerCase();
  const path = link.pathname.toLowerCase();
  // A name may end in a dot (RFC 1034, section 3.1).
  return (
    link.host.replace(/\.(?=:|$)/, '') === own.host &&
    path.startsWith(base) &&
    /^[rlbe]\//.test(path.slice(base.length))
  );
}

/**
 * Reads `WIFI:T:…;S:…;P:…;H:true;;` the way phones do (ZXing's form), fields in any order and backslash escapes.
 * Written apart from the website's composer, so that a mistake there is caught here.
 */
export function isWifi(text: string): boolean {
  const body = /^WIFI:((?:\\[\s\S]|[^\\])*);;$/.exec(text)?.[1];
  if (body === undefined) return false;
  const fields = new Map<string, string>();
  for (const [, key, value] of body.matchAll(/(?:^|;)([A-Z]):((?:\\[\s\S]|[^\\;])*)/g)) {
    if (key && !fields.has(key)) fields.set(key, (value ?? '').replace(/\\([\s\S])/g, '$1'));
  }
  const ssidBytes = Buffer.byteLength(fields.get('S') ?? '');
  const passphrase = fields.get('P') ?? '';
  if (ssidBytes < 1 || ssidBytes > 32) return false;
  switch (fields.get('T') ?? 'nopass') {
    case 'nopass':
      return passphrase === '';
    case 'WPA':
      return /^[\x20-\x7e]{8,63}$/.test(passphrase) || /^[0-9a-f]{64}$/i.test(passphrase);
    case 'WEP':
      return /^(?:[\x20-\x7e]{5}|[\x20-\x7e]{13}|[0-9a-f]{10}|[0-9a-f]{26})$/i.test(passphrase);
    default:
      return false;
  }
}
