import { domainToUnicode } from 'node:url';
import { isHonestHost } from '#contract/web-addresses';

/** A host in Unicode, if it can be shown so. */
export function withUnicode(host: string): string {
  const unicode = domainToUnicode(host);
  return unicode !== '' && isHonestHost(unicode) ? unicode : host;
}
