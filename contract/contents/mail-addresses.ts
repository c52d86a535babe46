import { tidyAddress } from '../invisible';
import { asciiDomain, fixHost, isHonestHost, QUOTES } from '../web-addresses';

// E-mail addresses in codes. Browsers load this, so it must not need Node or a library.

/** What may precede the @ by the HTML standard. */
const NAME = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/;

function partsOf(address: string): [name: string, domain: string] {
  const at = address.lastIndexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
}

/**
 * The e-mail address meant by `raw`, as typed but without invisible characters, or null if it is none: one by the HTML
 * standard or with a domain in other letters, and with a dot in the domain, as phones cannot send to `ada@localhost`.
 */
export function completeMailAddress(raw: string): string | null {
  const [name, domain] = partsOf(tidyAddress(raw));
  const ascii = asciiDomain(domain);
  if (!NAME.test(name) || ascii === null) return null;
  return `${name}@${isHonestHost(domain) ? domain : ascii}`;
}

export function isEmailAddress(raw: string): boolean {
  return completeMailAddress(raw) !== null;
}

/** The e-mail address that was probably meant by one that `completeMailAddress` refuses; null if none suggests itself. */
export function suggestMailAddress(raw: string): string | null {
  const entered = tidyAddress(raw)
    .normalize('NFKC')
    .replace(/^mailto:|\?.*$/gis, '')
    .replace(/^.*<([^<>]*)>.*$/s, '$1')
    .replace(QUOTES, '$1')
    .replace(/\s*[([{]\s*at\s*[)\]}]\s*|@+/i, '@');
  const [name, domain] = partsOf(entered.replace(/\s+/g, ''));
  return completeMailAddress(`${name}@${fixHost(domain.replace(/[/#].*$/s, ''))}`);
}

/** Text in a `mailto:` address, in which a lone surrogate could not be encoded. */
function mailtoPart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/\r\n|\r|\n/g, '\r\n'));
}

/** A `mailto:` address by RFC 6068: `xn--` domains, spaces as %20, line breaks as %0D%0A, never a plus sign. */
export function composeMailto(mail: { address: string; subject?: string; body?: string }): string {
  const [name, domain] = partsOf(tidyAddress(mail.address));
  const to = mailtoPart(name) + (domain === '' ? '' : `@${asciiDomain(domain) ?? mailtoPart(domain)}`);
  const headers = [
    mail.subject ? `subject=${mailtoPart(mail.subject)}` : '',
    mail.body ? `body=${mailtoPart(mail.body)}` : '',
  ].filter((header) => header !== '');
  return `mailto:${to}${headers.length > 0 ? `?${headers.join('&')}` : ''}`;
}
