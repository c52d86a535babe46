/** Well-known top-level domains, for texts written like a name: `Casino.Com`, `x.com`. */
const ENDINGS = new Set(
  (
    'app bet biz blog casino click club cloud com dev edu fun gov icu info life link live mobi name net online org ' +
    'page pro shop site space store tech top trade vip website wiki win work world xyz'
  ).split(' '),
);

/** Characters that browsers treat as a dot in host names (RFC 3490, section 3.1). */
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
const SIGNS = /[\u2028\u2029<>@]|:\/\/|www\.|\bxn--/iu;
const DOTTED = /([\p{L}\p{N}-]+)\.(\p{L}{2,})(?![\p{L}\p{N}])(\/?)/gu;

/**
 * Whether a text could advertise an address in a mail sent to a recipient of its author's choice: mail programs linkify
 * even a bare `casino.example`. Names with dots pass: `J. R. R. Tolkien`, `Dr.Müller`, `S.A.R.L.`, `F.lli Rossi`.
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
