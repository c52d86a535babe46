import { parse } from 'tldts';

/** Characters that browsers treat as a dot in host names (RFC 3490, section 3.1). */
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Schemes, mail addresses and handles, and the links of Markdown, BBCode and HTML. */
const SIGNS =
  /[\u2028\u2029<>@]|:\/\/|(?<!\p{L})(?:https?|mailto|tel|sms):\S|www\.|\bxn--|\]\s*[([:]|\[\/?(?:a|link|img|url)\b/iu;
/** Labels with dots between them, and what follows: a word, or the rest of a web address. */
const DOTTED = /([\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+)(?:(\s+[\p{L}\p{N}])|\.?([/#]|\?\w|:\d))?/gu;

const GROUPED_DIGITS = /\p{Nd}(?:[\s().+/_-]*\p{Nd})*/gu;
/** Digits of a name, and of a line of a postal address or a company name: house numbers and post office boxes. */
export const NAME_DIGITS = { maxDigits: 5 };
export const LINE_DIGITS = { maxDigits: 8 };

/** Titles, kinds of streets and buildings, and company forms, which people write with a dot and no space after it. */
const ABBREVIATIONS = new Set(
  (
    'abt adm al all allee apdo apl app apt apto arch atty av avda ave avenida avenue avv bat bd bda bldg blvd bo ' +
    'bros burg c calle cap capt card carrer cav cdt ch chem chemin cie cl cno co col cra ct ctra cv d dent dhr ' +
    'dipl dir dom dott dr dra ed edif em ent esc ets fa fam fg fl fr frau fraz ft gal geb gebr gen geom ges gta ' +
    'h ham haus herr hnos hon hr hs imm imp ing int ir jhr jr jur km lcdo lg lgo lic loc lot lt mag mal mar med ' +
    'mgr mlle mm mme mr mrs ms mt mte mw no nr pal pas past pb phil pje pk pl place plaza plz po pol pres prof ' +
    'prov pte ptge pza qta quai quart r rag rbla rd rda res rev rte rue sc sig soc sq sr sra srta st sta ste sto ' +
    'str strasse straße tel top trav trva ul univ urb vet via weg whg z za zac zi'
  ).split(' '),
);
/** Written abbreviations that are also domains, in any letter case. */
const WRITTEN = new Set(
  'avv.to b.sc c.so co.kg dipl.ing dott.sa dr.ing dr.med fr.ne gent.mo ill.mo m.me m.sc o.box p.za po.box s.to sig.na v.co'.split(
    ' ',
  ),
);
/** Words that follow an abbreviation and precede a name: `Rte.de Lyon`, `M.et Mme`, `Str.am Markt`. */
const PARTICLES = new Set('al am au de do et im in la no nr st'.split(' '));
const ORDINALS = new Set('de do er mo no re st to'.split(' '));
/** Endings that no surname has: `X.Com` is no person. */
const TECHNICAL = new Set(
  (
    'ai app bet biz blog casino cc click cloud club co com dev edu gg gl gov icu info io is link live ly me mobi net ' +
    'online org pro sh shop site store tech tv vip website wiki ws xyz'
  ).split(' '),
);

/**
 * Whether a text could advertise a web address in a mail sent to a recipient of its author's choice: mail programs
 * linkify even a bare `casino.example`, if it ends with a public suffix. What is abbreviated like a name passes, even
 * if it could be a domain: `J.R.R.`, `Dr.Müller`, `Rte.de Lyon`, `P.O.Box 12`, `Müller & Co.KG`.
 */
export function hasAddress(text: string): boolean {
  const plain = text.normalize('NFKC').replace(INVISIBLE, '').replace(OTHER_DOTS, '.');
  if (SIGNS.test(plain)) return true;
  return [...plain.matchAll(DOTTED)].some(([, host = '', word, path]) => {
    const labels = host.split('.').map((label) => label.replace(/^-+|-+$/g, ''));
    return labels.some(
      (ending, place) =>
        place > 0 &&
        isDomain(labels.slice(0, place + 1)) &&
        !isAbbreviated(labels[place - 1] ?? '', ending, {
          isBeforeWord: word !== undefined && place === labels.length - 1,
          isBeforePath: path !== undefined && place === labels.length - 1,
        }),
    );
  });
}

/**
 * Whether a text could advertise a web address or a telephone number: more digits in a row, however they are grouped,
 * than what the text names can have.
 */
export function hasAdvertisement(text: string, { maxDigits }: { maxDigits: number }): boolean {
  const numbers = text.normalize('NFKC').replace(INVISIBLE, '').match(GROUPED_DIGITS) ?? [];
  return hasAddress(text) || numbers.some((number) => number.replace(/\P{Nd}/gu, '').length > maxDigits);
}

function isDomain(labels: string[]): boolean {
  const { domain, isIcann, isSpecialUse } = parse(labels.join('.').toLowerCase(), {
    detectSpecialUse: true,
    extractHostname: false,
    validateHostname: false,
  });
  return domain !== null && Boolean(isIcann || isSpecialUse);
}

interface Surroundings {
  isBeforeWord: boolean;
  isBeforePath: boolean;
}

function isAbbreviated(label: string, ending: string, { isBeforeWord, isBeforePath }: Surroundings): boolean {
  const [first, last] = [fold(label), ending.toLowerCase()];
  if (isBeforePath) return false;
  if (WRITTEN.has(`${first}.${last}`)) return true;
  const isNumber = /^\d{1,3}$/.test(label);
  if (isNumber && (ORDINALS.has(last) || /^\p{Lu}\p{Ll}$/u.test(ending))) return !TECHNICAL.has(last);
  const isKnown = ABBREVIATIONS.has(first) || first.endsWith('str');
  if (isBeforeWord && PARTICLES.has(last)) return isKnown || isNumber || /^\p{Lu}$/u.test(label);
  if (TECHNICAL.has(last)) return false;
  if (isKnown && label.length > 1) return /^\p{Lu}/u.test(ending);
  return /^\p{L}$/u.test(label) && /^\p{Lu}(?:\p{Ll}+|\p{Lu}{2,})$/u.test(ending);
}

/** Without letter case and accents: `Rés.`, `Gén.`. */
function fold(label: string): string {
  return label.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
