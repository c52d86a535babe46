import { tidyAddress } from './invisible';
import { parseUrl } from './urls';

// Which web addresses codes may open. Browsers load this, so it must not need Node or a library.

/** A label of a host (RFC 1123, section 2.1). */
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
/** Quotation marks at the end of an address that has none before. */
const CLOSING_QUOTES = /^([^"<>\p{Pi}\p{Pf}]+)[">\p{Pi}\p{Pf}]+$/u;
/** Punctuation of other scripts, such as a quotation mark, apart from dots, hyphens and what words contain. */
const PUNCTUATION = /(?![!-~·׳״・－．。｡])\p{P}/u;

/** Whether people mean the host that browsers read from what they typed. */
function isMeantHost(entered: string, hostname: string): boolean {
  if (hostname.startsWith('[')) return true;
  const labels = hostname.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  if (hostname.length > 253 || !labels.every((label) => LABEL.test(label))) return false;
  // Browsers read 3.14, 0x7f.1 and 2130706433 as IP addresses.
  if (/^\d+$/.test(last)) return entered.replace(/\.$/, '') === labels.join('.');
  // A scheme that was typed twice, and a name that was only begun.
  if (/^https?$/.test(last) || labels.join() === 'www') return false;
  return !PUNCTUATION.test(entered) && !/(?:^|\.)-|-(?:\.|$)/.test(entered);
}

// `example.com:8080` starts with a host and `tel:0123` with a scheme: a host has a dot or is localhost.
function startsWithHost(entered: string): boolean {
  const host = entered.replace(/[/?#].*$/s, '').replace(/:\d+$/, '');
  return host.startsWith('[') || /^(?:localhost|[^:@]+\.[^:@]+)$/i.test(host);
}

/**
 * The web address meant by `raw`, as typed but without invisible characters, or null if it is none. Adds `https://` when
 * the scheme is missing; refuses other schemes, addresses with a user name or password, and hosts that are none by
 * RFC 1123. Without a scheme, a single word counts as a host only if it is `localhost`; with one, it may be a host of an
 * internal network.
 */
export function completeLink(raw: string): string | null {
  const entered = tidyAddress(raw).replace(/^\/\//, '');
  // URL parsers drop line breaks and turn backslashes into slashes, which hides where a link leads.
  if (/[\p{Cc}\\]/u.test(entered) || CLOSING_QUOTES.test(entered)) return null;
  const hasScheme = /^https?:\/\/[^/]/i.test(entered);
  if (!hasScheme && !startsWithHost(entered)) return null;
  const address = hasScheme ? entered : `https://${entered}`;
  const url = parseUrl(address);
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  // `https://example.comhttps://example.com` has a port, which is empty.
  if (url === null || authority.includes('@') || (authority.endsWith(':') && path.startsWith('//')))
    return null;
  const host = authority.replace(/:\d*$/, '');
  if (!isMeantHost(host, url.hostname)) return null;
  return isHonestHost(host) ? address : targetOf(address);
}

/** The target of a stored link, in the ASCII that headers and scanners need: `xn--` hosts, `%C3%A9` for é. */
export function targetOf(link: string): string {
  const address = tidyAddress(link);
  const url = parseUrl(address);
  if (url === null) return link;
  const isBareHost = url.pathname === '/' && url.search === '' && url.hash === '';
  return isBareHost && !/[/?#]$/.test(address) ? url.href.slice(0, -1) : url.href;
}

/** Android matches schemes by case: some cameras show `HTTPS://` as text, or open nothing. */
export function withLowerCaseScheme(address: string): string {
  return address.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
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

/** The domain of an e-mail address in ASCII; null if phones cannot send to it. */
export function asciiDomain(entered: string): string | null {
  if (/[\s/?#:@\\[\]%]/.test(entered)) return null;
  const hostname = parseUrl(`https://${entered}`)?.hostname ?? '';
  const hasTopLevel = /\.[a-z\d-]*[a-z][a-z\d-]*$/.test(hostname);
  return hasTopLevel && isMeantHost(entered, hostname) ? hostname : null;
}

/** What people put around an address, or copy along with it. */
export const QUOTES = /^[\p{Pi}\p{Pf}\p{Ps}"'<`*\s]+(.*?)[\p{Pi}\p{Pf}\p{Pe}"'>`*\s.,;!]*$/su;
/** `https://` as it is mistyped, or typed twice: `https//`, `htp:/`, `https;//`. */
const SCHEMES = /^(?:[htps]{3,7}\s*(?:[:;]+\s*\/*|[.,]?\s*\/+)\s*)+/i;

/** The web address that was probably meant by one that `completeLink` refuses; null if none suggests itself. */
export function suggestLink(raw: string): string | null {
  const entered = tidyAddress(raw)
    .replace(/\p{Cc}/gu, '')
    .replaceAll('\\', '/')
    .replace(QUOTES, '$1')
    .replace(CLOSING_QUOTES, '$1');
  const text = entered.replace(/^(?:https?:\/\/)?[^/?#]*?(?=https?:\/\/)/i, '');
  const [schemes = ''] = SCHEMES.exec(text) ?? [];
  const [, authority = '', rest = ''] =
    /^[/:.]*(www[^\p{L}\p{N}.-]+[^/?#]*|[^/?#]*)(.*)$/isu.exec(text.slice(schemes.length)) ?? [];
  const [, enteredHost = '', port = ''] = /^(.*?)(:\d{1,5})?$/s.exec(authority.replace(/\s+\./g, '.')) ?? [];
  const isAddress = schemes !== '' || /^www\b/i.test(enteredHost);
  if (/[@%]|\[.*:/.test(enteredHost) || (!isAddress && /[\s:]/.test(enteredHost))) return null;
  const host = fixHost(enteredHost.replace(/^www[^\p{L}\p{N}.-]+/iu, 'www.'));
  const [last = 's'] = /[a-z]+(?=[^a-z]*$)/i.exec(schemes) ?? [];
  return startsWithHost(host)
    ? completeLink(`${/s/i.test(last) ? 'https' : 'http'}://${host}${port}${rest}`)
    : null;
}

/** A host with other separators for dots, other signs, or a dot or hyphen too many, put right. */
export function fixHost(entered: string): string {
  const host = entered
    .normalize('NFKC')
    // What follows a blank is more text, unless it has the dot that the host lacks.
    .replace(/^(\S*\.\S*[^\s.])\s[^.]*$/, '$1')
    .replace(/[,;:。]/g, '.')
    .replace(/[\p{Pd}_]/gu, '-')
    .replace(/(?!\u200c|\u200d)[^\p{L}\p{M}\p{N}.-]/gu, '')
    .replace(/-*\.[.-]*/g, '.')
    .replace(/^[.-]+|[.-]+$/g, '');
  // Padded IP addresses would be read as octal.
  return /^[\d.]+$/.test(host) ? host.replace(/(^|\.)0+(?=\d)/g, '$1') : host;
}
