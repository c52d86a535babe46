import { completeLink, targetOf } from '#contract/web-addresses';
import type { HostedType } from './hosted-type';
import { withUnicode } from './unicode-hosts';

export const link: HostedType = {
  displayed(content) {
    if (!/xn--|%[c-f]/i.test(content)) return content;
    const [, before = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#:]*)(.*)$/is.exec(content) ?? [];
    const displayed = `${before}${withUnicode(host)}${withLetters(rest)}`;
    return targetOf(displayed) === targetOf(content) ? displayed : content;
  },
  words: {
    gb: 'link links url urls website web site page webpage weblink hyperlink homepage redirect',
    fr: 'lien liens site web internet page redirection',
    es: 'enlace enlaces vínculo sitio web página',
    de: 'link webadresse webseite website internetadresse internetseite seite homepage weiterleitung',
    it: 'link collegamento sito web pagina',
  },
  recognises: isAddress,
};

/** A web address without spaces; one without a scheme needs a domain that ends with letters, unlike `1.5`. */
export function isAddress(cell: string): boolean {
  const isWhole = /^(?:https?:\/\/\S+|(?:[\p{L}\p{N}-]+\.)+[\p{L}-]{2,}(?::\d+)?(?:[/?#]\S*)?)$/iu.test(cell);
  return isWhole && completeLink(cell) !== null;
}

/** Decodes escapes of letters, digits and combining marks; characters with a meaning in a URL stay escaped. */
function withLetters(text: string): string {
  return text.replace(/(?:%[c-f][\da-f](?:%[89ab][\da-f])+)+/gi, (escaped) => {
    try {
      const letters = decodeURIComponent(escaped);
      return /^[\p{L}\p{M}\p{N}]+$/u.test(letters) ? letters : escaped;
    } catch {
      return escaped;
    }
  });
}
