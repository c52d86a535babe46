import { Link } from '@remix-run/react';
import { Fragment } from 'react';

interface Props {
  children: string;
  /** Origin of this site, whose URLs become client-side links. */
  origin?: string;
}

/** Plain text whose web and e-mail addresses are links; nothing else in it becomes markup. */
export function LinkedText({ children, origin }: Props) {
  return splitAddresses(children, origin).map(({ text, href }, position) => {
    const key = `${position} ${text}`;
    if (href === undefined) return <Fragment key={key}>{text}</Fragment>;
    if (href.startsWith('/')) {
      return (
        <Link key={key} to={href}>
          {text}
        </Link>
      );
    }
    return (
      <a key={key} href={href}>
        {text}
      </a>
    );
  });
}

export interface TextPart {
  text: string;
  /** Where the part leads: `http:`, `https:` or `mailto:`, or a path of this site. */
  href?: string;
}

// Addresses end before closing punctuation; a bare host name counts only if it starts with www or ends in
// .gouv.fr.
const ADDRESS =
  /https?:\/\/[^\s<>"'()«»“”„]*[\w/-]|(?:\bwww|\b[\w-]+(?=[\w.-]*\.gouv\.fr\b))(?:\.[\w-]+)+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** Splits plain text at its web and e-mail addresses. `origin` is this site's own, as in `https://example.com`. */
export function splitAddresses(text: string, origin?: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href: hrefOf(address, origin) });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function hrefOf(address: string, origin: string | undefined): string {
  if (!address.startsWith('http')) return address.includes('@') ? `mailto:${address}` : `https://${address}`;
  if (address === origin) return '/';
  const path = origin && address.startsWith(`${origin}/`) ? address.slice(origin.length) : '';
  // `//` would lead to another host.
  return path !== '' && !path.startsWith('//') ? path : address;
}
