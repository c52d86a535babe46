/** Endings of well-known addresses, for where a text is written like a name: `Casino.Com`, `x.com`. */
const ENDINGS = new Set(
  (
    'app bet biz blog casino click club cloud com dev edu fun gov icu info life link live mobi name net online org ' +
    'page pro shop site space store tech top trade vip website wiki win work world xyz'
  ).split(' '),
);

/** Dots that address lines take for a full stop (RFC 3490, section 3.1). */
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
const SIGNS = /[\u2028\u2029<>@]|:\/\/|www\.|\bxn--/iu;
const DOTTED = /([\p{L}\p{N}-]+)\.(\p{L}{2,})(?![\p{L}\p{N}])(\/?)/gu;

/**
 * Whether a text could advertise an address, where it stands in a mail to whomever its writer named: mail programs make
 * links of `casino.example` alone. Names with a full stop pass: `J. R. R. Tolkien`, `Dr.Müller`, `S.A.R.L.`, `F.lli Rossi`.
 */
export function hasAddress(text: string): boolean {
  const plain = text.normalize('NFKC').replace(OTHER_DOTS, '.');
  if (SIGNS.test(plain)) return true;
  return [...plain.matchAll(DOTTED)].some(([, label = '', ending = '', slash]) => {
    if (slash || ENDINGS.has(ending.toLowerCase())) return true;
    const isInitial = !/\p{L}.*\p{L}/u.test(label);
    const isName = /^\p{Lu}\p{Ll}{2,}$/u.test(ending);
    return !isInitial && !isName;
  });
}
