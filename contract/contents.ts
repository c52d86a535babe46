import { isStorable } from './storable';
import { composeWifi, isReadBack, PASSPHRASES, type WifiNetwork, type WifiSecurity } from './wifi';

// What a code may contain and what is drawn for it: one set of rules for the host, the website and its live
// preview. Browsers load this with the drawing code, so it must not need Node or a library.

export type CodeType = 'link' | 'text' | 'email' | 'wifi';

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

/** Most characters (code points) a code may contain, as `contentLength` counts them. */
export const CONTENT_LIMIT = 255;
export const SUBJECT_LIMIT = 200;
export const BODY_LIMIT = 1000;

/** Most UTF-16 code units read from a field, valid or not. */
export const TYPED_LIMITS = {
  content: 2000,
  subject: 500,
  body: 2000,
  ssid: 200,
  passphrase: 200,
  name: 500,
  tags: 1000,
};

/** ASCII characters that the largest symbol holds at level H, whatever they are (ISO/IEC 18004, table 7). */
const SYMBOL_CHARACTERS = 1273;
/** Can display text in a different order than it is stored (Unicode UAX 9, section 2). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

type TextProblem = 'content_invalid' | 'bidi_controls';

export interface ContentProblem {
  field: 'content' | 'subject' | 'body' | 'ssid' | 'passphrase';
  code:
    | TextProblem
    | WifiProblem
    | 'content_required'
    | 'content_too_long'
    | 'link_invalid'
    | 'link_own'
    | 'email_invalid'
    | 'subject_too_long'
    | 'body_too_long';
}

/** Whether an address opens one of our own codes: a code that opens another, or itself, can loop. */
type OpensCode = (link: string) => boolean;

/**
 * Every problem that prevents these fields from becoming a code. Without `opensCode`, links to codes are not checked.
 */
export function checkContent(fields: CodeFields, opensCode: OpensCode = () => false): ContentProblem[] {
  if (fields.type === 'wifi') return checkNetwork(networkOf(fields));
  const problems: ContentProblem[] = [];
  const code = contentProblem(fields, opensCode);
  if (code) problems.push({ field: 'content', code });
  if (fields.type !== 'email') return problems;
  const subject = tidy(fields.subject ?? '');
  const subjectCode = lengthOf(subject) > SUBJECT_LIMIT ? 'subject_too_long' : textProblem(subject);
  if (subjectCode) problems.push({ field: 'subject', code: subjectCode });
  const body = tidy(fields.body ?? '');
  const bodyCode = lengthOf(body) > BODY_LIMIT ? 'body_too_long' : textProblem(body);
  if (bodyCode) problems.push({ field: 'body', code: bodyCode });
  return problems;
}

function contentProblem(fields: CodeFields, opensCode: OpensCode): ContentProblem['code'] | null {
  const content = tidy(fields.content);
  if (content === '') return 'content_required';
  if (contentLength(fields) > CONTENT_LIMIT) return 'content_too_long';
  const invalid = textProblem(content);
  if (invalid) return invalid;
  if (fields.type === 'email' && !isEmailAddress(content)) return 'email_invalid';
  if (fields.type !== 'link') return null;
  const link = completeLink(content);
  if (link === null) return 'link_invalid';
  return opensCode(link) ? 'link_own' : null;
}

function textProblem(text: string): TextProblem | null {
  if (!isStorable(text)) return 'content_invalid';
  return BIDI_CONTROLS.test(text) ? 'bidi_controls' : null;
}

/** The content stored for valid fields: a web address with its scheme, trimmed text, or the Wi-Fi string (WIFI:T:…). */
export function contentOf(fields: CodeFields): string {
  if (fields.type === 'wifi') return composeWifi(networkOf(fields));
  const content = tidy(fields.content);
  return fields.type === 'link' ? (completeLink(content) ?? content) : content;
}

/** Any text, subject or message as stored: plain line breaks, trimmed. */
export function tidy(text: string): string {
  // The form and the script may differ in line endings; the drawn code must not.
  return text.replace(/\r\n?/g, '\n').trim();
}

/** Characters (code points) that count against `CONTENT_LIMIT`: those typed, or the composed Wi-Fi string. */
export function contentLength(fields: CodeFields): number {
  if (fields.type === 'wifi') return fields.ssid ? lengthOf(contentOf(fields)) : 0;
  return lengthOf(tidy(fields.content));
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The payload of a code that holds the content itself; empty when there is nothing to draw yet. */
export function payloadOf(fields: CodeFields): string {
  if (fields.type === 'wifi') return fields.ssid ? composeWifi(networkOf(fields)) : '';
  const content = withoutLoneSurrogates(contentOf(fields));
  if (content === '') return '';
  if (fields.type === 'email') return composeMailto({ ...fields, address: content });
  if (fields.type === 'text') return content;
  const target = targetOf(content);
  // Encoding turns an accented letter into six characters: an address that would no longer fit is drawn as typed.
  return target.length > SYMBOL_CHARACTERS ? withLowerCaseScheme(content) : target;
}

/** The address in the image of a code, below `shortUrl`. */
export function scanLinkOf(shortUrl: string, slug: string): string {
  // The alphanumeric mode of ISO/IEC 18004, which has no lower case, needs fewer and so larger modules.
  return withLowerCaseScheme(targetOf(`${shortUrl}/r/${slug}`).toUpperCase());
}

/** Android matches schemes by case: some cameras show `HTTPS://` as text, or open nothing. */
function withLowerCaseScheme(address: string): string {
  return address.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
}

// A lone surrogate has no UTF-8 encoding, so it could not be read back.
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
 * The web address meant by `raw`, as typed, or null if it is none. Adds `https://` when the scheme is missing; refuses
 * other schemes and addresses with a user name or password. Without a scheme, a single word counts as a host only if it
 * is `localhost`; with one, it may be a host of an internal network.
 */
export function completeLink(raw: string): string | null {
  const typed = raw.trim().replace(/^\/\//, '');
  // URL parsers drop line breaks and turn backslashes into slashes, which hides where a link leads.
  if (/[\p{Cc}\\]/u.test(typed)) return null;
  const hasScheme = /^https?:\/\/[^/]/i.test(typed);
  if (!hasScheme && !startsWithHost(typed)) return null;
  const address = hasScheme ? typed : `https://${typed}`;
  const url = parseUrl(address);
  if (url === null || !hasUsableHost(url)) return null;
  if (url.username !== '' || url.password !== '') return null;
  const [, host = ''] = /^https?:\/\/([^/?#:]*)/i.exec(address) ?? [];
  return isHonestHost(host) ? address : targetOf(address);
}

/** The target of a stored link, in the ASCII that headers and scanners need: `xn--` hosts, `%C3%A9` for é. */
export function targetOf(link: string): string {
  const url = parseUrl(link);
  if (url === null) return link;
  const isBareHost = url.pathname === '/' && url.search === '' && url.hash === '';
  return isBareHost && !/[/?#]$/.test(link) ? url.href.slice(0, -1) : url.href;
}

/**
 * Whether a host may be shown in Unicode. As in browsers, one that could pass for another is shown as `xn--`: mixed
 * look-alike scripts, or only look-alikes of Latin letters.
 */
export function isHonestHost(host: string): boolean {
  return host.split('.').every((label) => {
    if (/^[\x21-\x7e]*$/.test(label)) return true;
    if (label.normalize('NFKC') !== label || !/^[\p{L}\p{M}\p{N}-]+$/u.test(label)) return false;
    const scripts = [
      /\p{Script=Latin}/u,
      /\p{Script=Cyrillic}/u,
      /\p{Script=Greek}/u,
      /[\u0530-\u058f\u13a0-\u13ff]/,
    ];
    if (scripts.filter((script) => script.test(label)).length > 1) return false;
    return !/^[\d\-аеорсухіјѕԁһӏԛԝο]+$/u.test(label) && !/[\u0250-\u02af]/.test(label);
  });
}

/** A valid e-mail address by the HTML standard, with a dot in the domain: phones cannot send to `ada@localhost`. */
export function isEmailAddress(raw: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i.test(
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

type WifiProblem =
  | 'ssid_required'
  | 'ssid_too_long'
  | 'passphrase_required'
  | 'passphrase_length'
  | 'trailing_backslash'
  | 'not_readable';

function networkOf(fields: CodeFields): WifiNetwork {
  const security = fields.security ?? 'WPA';
  const passphrase = security === 'nopass' ? '' : (fields.passphrase ?? '');
  return { ssid: fields.ssid ?? '', passphrase, security, hidden: fields.hidden ?? false };
}

/** Every problem that would prevent phones from joining the network; empty when the code is ready to print. */
export function checkNetwork(network: WifiNetwork): ContentProblem[] {
  const { ssid, passphrase, security } = network;
  const problems: ContentProblem[] = [];
  const refuse = (field: 'ssid' | 'passphrase', code: ContentProblem['code']) =>
    problems.push({ field, code });
  if (ssid.trim() === '') refuse('ssid', 'ssid_required');
  if (new TextEncoder().encode(ssid).length > 32) refuse('ssid', 'ssid_too_long');
  if (BIDI_CONTROLS.test(ssid)) refuse('ssid', 'bidi_controls');
  if (security !== 'nopass' && passphrase === '') refuse('passphrase', 'passphrase_required');
  else if (!PASSPHRASES[security].test(passphrase)) refuse('passphrase', 'passphrase_length');
  // Android's reader takes the backslash as escaping the separator that follows.
  if (ssid.endsWith('\\')) refuse('ssid', 'trailing_backslash');
  if (passphrase.endsWith('\\')) refuse('passphrase', 'trailing_backslash');
  if (!isReadBack(network)) refuse('ssid', 'not_readable');
  if (lengthOf(composeWifi(network)) > CONTENT_LIMIT) refuse('ssid', 'content_too_long');
  return problems;
}
