export type CodeType = 'link' | 'text' | 'email' | 'wifi';
export type WifiSecurity = 'WPA' | 'WEP' | 'nopass';

export interface CodeFields {
  type: CodeType;
  /** Link, text or e-mail address, as typed; unused for wifi. */
  content: string;
  subject?: string;
  body?: string;
  ssid?: string;
  passphrase?: string;
  security?: WifiSecurity;
  hidden?: boolean;
}

/** Most characters (code points) a code may hold, as `contentLength` counts them. */
export const CONTENT_LIMIT = 255;

// The form and the script may differ in line endings; the drawn code must not.
function withPlainLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

// A lone surrogate has no UTF-8 form: it would never read back as itself.
function withoutLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function parseUrl(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

function hasUsableHost({ hostname }: URL): boolean {
  if (hostname.startsWith('[')) return true;
  const labels = hostname.replace(/\.$/, '').split('.');
  return hostname.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63);
}

// `example.com:8080` starts with a host and `tel:0123` with a scheme: a host has a dot or is localhost.
function startsWithHost(typed: string): boolean {
  const host = typed.replace(/[/?#].*$/s, '').replace(/:\d+$/, '');
  return host.startsWith('[') || /^(?:localhost|[^:@]+\.[^:@]+)$/i.test(host);
}

/**
 * The web address that `raw` means, or null when it means none. Adds `https://` where the scheme is
 * missing; refuses other schemes and addresses that carry a name or password. Without a scheme a single
 * word counts as a host only when it is `localhost`.
 */
export function normalizeLink(raw: string): string | null {
  const typed = withoutLoneSurrogates(raw.trim()).replace(/^\/\//, '');
  // URL parsers drop line breaks and turn backslashes into slashes, which hides where a link leads.
  if (/[\p{Cc}\\]/u.test(typed)) return null;
  const hasScheme = /^https?:\/\/[^/]/i.test(typed);
  if (!hasScheme && !startsWithHost(typed)) return null;
  const address = hasScheme ? typed : `https://${typed}`;
  const url = parseUrl(address);
  if (url === null || !hasUsableHost(url)) return null;
  if (url.username !== '' || url.password !== '') return null;
  const isBareHost = url.pathname === '/' && url.search === '' && url.hash === '';
  return isBareHost && !/[/?#]$/.test(typed) ? url.href.slice(0, -1) : url.href;
}

/** Follows the HTML standard's definition of a valid e-mail address, which is what browsers check. */
export function isEmailAddress(raw: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i.test(
    raw.trim(),
  );
}

function mailtoPart(text: string): string {
  return encodeURIComponent(withoutLoneSurrogates(text).replace(/\r\n|\r|\n/g, '\r\n'));
}

/** A `mailto:` address by RFC 6068: spaces as %20, line breaks as %0D%0A, never a plus sign. */
export function composeMailto(mail: { address: string; subject?: string; body?: string }): string {
  const address = mail.address.trim();
  const at = address.lastIndexOf('@');
  const to =
    at < 0 ? mailtoPart(address) : `${mailtoPart(address.slice(0, at))}@${mailtoPart(address.slice(at + 1))}`;
  const headers = [
    mail.subject ? `subject=${mailtoPart(mail.subject)}` : '',
    mail.body ? `body=${mailtoPart(mail.body)}` : '',
  ].filter((header) => header !== '');
  return `mailto:${to}${headers.length > 0 ? `?${headers.join('&')}` : ''}`;
}

export interface WifiNetwork {
  ssid: string;
  passphrase: string;
  security: WifiSecurity;
  hidden: boolean;
}

export type WifiProblem =
  | 'ssid_required'
  | 'ssid_too_long'
  | 'passphrase_required'
  | 'passphrase_length'
  | 'trailing_backslash'
  | 'not_readable';

function wifiOf(fields: CodeFields): WifiNetwork {
  const security = fields.security ?? 'WPA';
  const passphrase = security === 'nopass' ? '' : (fields.passphrase ?? '');
  return { ssid: fields.ssid ?? '', passphrase, security, hidden: fields.hidden ?? false };
}

/**
 * The de-facto `WIFI:` string that phones read: backslash before `\ ; , " :`, `WPA` for WPA to WPA3, no
 * password field for an open network. Hex-looking passwords stay unquoted: iOS takes quotes literally.
 */
export function composeWifi({ ssid, passphrase, security, hidden }: WifiNetwork): string {
  const escaped = (value: string) => value.replace(/[\\;,":]/g, '\\$&');
  const password = security === 'nopass' ? '' : `P:${escaped(passphrase)};`;
  return `WIFI:T:${security};S:${escaped(ssid)};${password}${hidden ? 'H:true;' : ''};`;
}

/** Reads a `WIFI:` string with its fields in any order; null when it is malformed or of an unknown kind. */
export function parseWifi(text: string): WifiNetwork | null {
  const record = /^WIFI:((?:[A-Z]\d?:(?:\\.|[^\\;])*;)+);$/is.exec(text)?.[1];
  if (record === undefined) return null;
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of record.matchAll(/([A-Z]\d?):((?:\\.|[^\\;])*);/gis)) {
    values.set(name.toUpperCase(), value.replace(/\\(.)/gs, '$1'));
  }
  const ssid = values.get('S');
  const passphrase = values.get('P') ?? '';
  const kind = (values.get('T') ?? (passphrase === '' ? 'nopass' : 'WPA')).toUpperCase();
  const security = kind === 'NOPASS' || kind === '' ? 'nopass' : kind;
  if (ssid === undefined || (security !== 'nopass' && security !== 'WPA' && security !== 'WEP')) return null;
  return { ssid, passphrase, security, hidden: values.get('H')?.toLowerCase() === 'true' };
}

// Wi-Fi Alliance and IEEE 802.11: a passphrase of 8 to 63 printable ASCII characters, or the key in hex.
const PASSPHRASES = {
  WPA: /^(?:[\x20-\x7e]{8,63}|[\da-f]{64})$/i,
  WEP: /^(?:[\x20-\x7e]{5}|[\x20-\x7e]{13}|[\da-f]{10}|[\da-f]{26})$/i,
  nopass: /^/,
};

function isReadBack(network: WifiNetwork): boolean {
  const found = parseWifi(composeWifi(network));
  const isSame =
    found?.ssid === network.ssid &&
    found.passphrase === network.passphrase &&
    found.security === network.security &&
    found.hidden === network.hidden;
  return isSame && !/[\p{Cc}\p{Surrogate}]/u.test(network.ssid + network.passphrase);
}

/** Everything that would keep phones from joining the network; empty when the code is good to print. */
export function checkWifi(fields: CodeFields): WifiProblem[] {
  const network = wifiOf(fields);
  const { ssid, passphrase, security } = network;
  const problems: WifiProblem[] = [];
  if (ssid.trim() === '') problems.push('ssid_required');
  if (new TextEncoder().encode(ssid).length > 32) problems.push('ssid_too_long');
  if (security !== 'nopass' && passphrase === '') problems.push('passphrase_required');
  else if (!PASSPHRASES[security].test(passphrase)) problems.push('passphrase_length');
  // Android's reader takes the backslash for the escape of the separator that follows.
  if (ssid.endsWith('\\') || passphrase.endsWith('\\')) problems.push('trailing_backslash');
  if (!isReadBack(network)) problems.push('not_readable');
  return problems;
}

/** What the code holds when it holds the content itself; empty when there is nothing to draw yet. */
export function payloadOf(fields: CodeFields): string {
  const content = withoutLoneSurrogates(withPlainLineBreaks(fields.content));
  if (fields.type === 'wifi') return fields.ssid ? composeWifi(wifiOf(fields)) : '';
  if (content.trim() === '') return '';
  if (fields.type === 'link') return normalizeLink(content) ?? content.trim();
  if (fields.type === 'email') return composeMailto({ ...fields, address: content });
  return content;
}

/** Characters (code points) that count against `CONTENT_LIMIT`: the content, or the composed wifi string. */
export function contentLength(fields: CodeFields): number {
  const counted = fields.type === 'wifi' ? payloadOf(fields) : withPlainLineBreaks(fields.content);
  return Array.from(counted).length;
}
