import { Fragment } from 'react';

/** The parts of an address, each up to a sign or to a full stop before more than the end of a domain. */
const PARTS = /.+?(?:[/?&=_@]+(?=\S)|\.(?=\p{L}{4})|$)/gsu;

/** A text that goes on in the next line between the parts of an address, not within one of its words. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {[...text.matchAll(PARTS)].map(({ 0: part, index }) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
