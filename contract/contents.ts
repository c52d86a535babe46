import { BIDI_CONTROLS, tidyAddress, withoutInvisible } from './invisible';
import { completeMailAddress, composeMailto, meantMailAddress } from './mail-addresses';
import { isStorable } from './storable';
import { completeLink, meantLink, targetOf } from './web-addresses';
import { composeWifi, isReadBack, PASSPHRASES, type WifiNetwork, type WifiSecurity } from './wifi';

export { composeMailto, isEmailAddress } from './mail-addresses';
export { completeLink, isHonestHost, targetOf } from './web-addresses';

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

type TextProblem = 'content_invalid' | 'bidi_controls';
/** The third with the address that was probably meant. */
type AddressProblem = 'link_invalid' | 'email_invalid' | `address_meant:${string}`;

export interface ContentProblem {
  field: 'content' | 'subject' | 'body' | 'ssid' | 'passphrase';
  code:
    | TextProblem
    | WifiProblem
    | 'content_required'
    | 'content_too_long'
    | AddressProblem
    | 'link_own'
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
  const content = typedContent(fields);
  if (content === '') return 'content_required';
  if (contentLength(fields) > CONTENT_LIMIT) return 'content_too_long';
  const invalid = textProblem(content);
  if (invalid) return invalid;
  if (fields.type === 'email' && completeMailAddress(content) === null)
    return addressProblem('email_invalid', meantMailAddress(content));
  if (fields.type !== 'link') return null;
  const link = completeLink(content);
  if (link === null) return addressProblem('link_invalid', meantLink(content));
  return opensCode(link) ? 'link_own' : null;
}

function addressProblem(code: 'link_invalid' | 'email_invalid', meant: string | null): AddressProblem {
  return meant === null ? code : `address_meant:${meant}`;
}

function textProblem(text: string): TextProblem | null {
  if (!isStorable(text)) return 'content_invalid';
  return BIDI_CONTROLS.test(text) ? 'bidi_controls' : null;
}

/** The content stored for valid fields: a complete address, trimmed text, or the Wi-Fi string (WIFI:T:…). */
export function contentOf(fields: CodeFields): string {
  if (fields.type === 'wifi') return composeWifi(networkOf(fields));
  const content = typedContent(fields);
  if (fields.type === 'link') return completeLink(content) ?? content;
  return fields.type === 'email' ? (completeMailAddress(content) ?? content) : content;
}

function typedContent({ type, content }: CodeFields): string {
  return type === 'text' ? tidy(content) : tidyAddress(tidy(content));
}

/** Any text, subject or message as stored: plain line breaks, trimmed; empty if nothing of it can be seen. */
export function tidy(text: string): string {
  if (withoutInvisible(text).trim() === '') return '';
  // The form and the script may differ in line endings; the drawn code must not.
  return text.replace(/\r\n?/g, '\n').trim();
}

/** Characters (code points) that count against `CONTENT_LIMIT`: those typed, or the composed Wi-Fi string. */
export function contentLength(fields: CodeFields): number {
  if (fields.type === 'wifi') return fields.ssid ? lengthOf(contentOf(fields)) : 0;
  return lengthOf(typedContent(fields));
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
  // Routers have none in their names and keys: they come with what was copied.
  const [ssid, key] = [withoutInvisible(fields.ssid ?? ''), withoutInvisible(passphrase)];
  return { ssid, passphrase: key, security, hidden: fields.hidden ?? false };
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
