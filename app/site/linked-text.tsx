import { Link } from '@remix-run/react';
import { Fragment } from 'react';
import { splitAddresses } from './text-addresses';

interface Props {
  children: string;
  /** Origin of this site: its own addresses lead there without leaving. */
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
