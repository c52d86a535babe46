import { COUNTRIES } from '#contract/addresses';
import { LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';

type Kind = 'region' | 'language';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Of ISO 639-1, without those that were replaced by others. */
const LANGUAGES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  (code) =>
    new Intl.Locale(code).language === code &&
    new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code) !== undefined,
);

/** Living languages that ISO 639 gives no code of two letters, but people set on their phones. */
const FURTHER_LANGUAGES = `
  ace ach ada ady aeb agq ain akz ale aln alt ann anp arn aro arp arq ars arw ary arz asa ast atj awa bal ban bar
  bas bax bbc bbj bej bem bew bez bfd bfq bgc bgn bho bik bin bjn bkm bla blo blt bpy bqi bra brh brx bss bua bug
  bum byn byv cad car cay cch ccp ceb cgg chk chm cho chp chr chy cic ckb clc cps crg crh crj crk crl crm crr crs
  csb csw dak dar dav del den dgr din dje doi dsb dtp dua dyo dyu dzg ebu efi egl eka esu ewo ext fan fil fit fon
  frc frp frr frs fur gaa gag gan gay gba gbz gil glk gon gor grb gsw guc gur guz gwi hai hak haw hax hif hil hmn
  hnj hsb hsn hup hur iba ibb ikt ilo inh izh jam jgo jmc jut kaa kab kac kaj kam kbd kbl kcg kde kea kek ken kfo
  kgp kha khq khw kiu kkj kln kmb koi kok kos kpe krc kri krj krl kru ksb ksf ksh kum kut kwk kxv lad lag lah lam
  lez lij lil liv lkt lmo lol lou loz lrc lsm ltg lua lun luo lus luy lzz mad maf mag mai mak man mas mde mdf mdr
  men mer mfe mgh mgo mic min mni moe moh mos mrj mua mus mwl mwr mwv mye myv mzn nan nap naq nds new nia niu njo
  nmg nnh nog nqo nso nus nym nyn nyo nzi ojb ojc ojs ojw oka osa pag pam pap pau pcd pcm pdc pdt pfl pis pms pnt
  pon pqm quc qug raj rap rar rgn rhg rif rof rom rtm rue rug rup rwk sad sah saq sas sat saz sba sbp scn sco sdc
  sdh see seh sei sel ses sgs shi shn shu sid slh sli sly sma smj smn sms snk srn srr ssy stq str suk sus swb syr
  szl tce tcy tem teo ter tet tgx tht tig tiv tkl tkr tli tly tmh tog tpi tru trv trw tsd tsi ttm ttt tum tvl twq
  tyv tzm udm umb vai vec vep vls vmf vmw vro vun wae wal war was wbp wuu xal xmf xnr xog yao yap yav ybb yrl yue
  zap zea zen zgh zun zza
`
  .trim()
  .split(/\s+/);

const CODES: Record<Kind, readonly string[]> = { region: COUNTRIES, language: LANGUAGES };
/** Those whose names are understood, the more frequent ones last. */
const READ_CODES = { ...CODES, language: [...FURTHER_LANGUAGES, ...LANGUAGES] };
/** Names in daily use that no language's official list has. */
const OTHER_NAMES: Record<Kind, Record<string, string>> = {
  region: { usa: 'US', 'great britain': 'GB', england: 'GB', holland: 'NL', 'south korea': 'KR' },
  language: {},
};
/** Typing mistakes up to which a name is recognised. */
const MISTAKES = 2;

const lists = new Map<string, { value: string; label: string }[]>();

/** Every country by its name in the language, in alphabetical order. */
export function listCountries(locale: Locale): { value: string; label: string }[] {
  return listOf('region', locale);
}

/** Every language with a code of two letters by its name in the language, in alphabetical order. */
export function listLanguages(locale: Locale): { value: string; label: string }[] {
  return listOf('language', locale);
}

function listOf(kind: Kind, locale: Locale) {
  const key = `${kind}/${locale}`;
  const known = lists.get(key);
  if (known) return known;
  const { compare } = new Intl.Collator(LOCALES[locale].tag);
  const list = CODES[kind]
    .map((value) => ({ value, label: nameOf(kind, value, locale) }))
    .sort((a, b) => compare(a.label, b.label));
  lists.set(key, list);
  return list;
}

/** Name of a country by its ISO 3166-1 code; the code itself if the language has no name for it. */
export function countryName(code: string, locale: Locale): string {
  return nameOf('region', code, locale);
}

/** Whether it is the ISO 639 code of a language whose name is understood. */
export function isLanguage(code: string): boolean {
  return READ_CODES.language.includes(code);
}

/** Name of a language by its ISO 639 code. */
export function languageName(code: string, locale: Locale): string {
  return nameOf('language', code, locale);
}

function nameOf(type: Kind, code: string, locale: Locale): string {
  return new Intl.DisplayNames(LOCALES[locale].tag, { type }).of(code) ?? code;
}

/** The languages with a code of two letters and these, in alphabetical order. */
export function listLanguagesWith(
  codes: readonly string[],
  locale: Locale,
): { value: string; label: string }[] {
  const list = listLanguages(locale);
  const others = [...new Set(codes)].filter((code) => !LANGUAGES.includes(code));
  if (others.length === 0) return list;
  const { compare } = new Intl.Collator(LOCALES[locale].tag);
  return [...list, ...others.map((value) => ({ value, label: nameOf('language', value, locale) }))].sort(
    (a, b) => compare(a.label, b.label),
  );
}

/** What somebody typed: the code it means, or the name that was probably meant. */
export type Understood = { code: string } | { typed: string; meant: string | null };

/** Reads names or codes of countries with commas between them, in any of our languages. */
export function readCountries(text: string, locale: Locale): Understood[] {
  return readNames('region', text, locale);
}

/** Reads names or codes of languages with commas between them, in any of our languages. */
export function readLanguages(text: string, locale: Locale): Understood[] {
  return readNames('language', text, locale);
}

function readNames(kind: Kind, text: string, locale: Locale): Understood[] {
  const known = codesOf(kind);
  return text
    .split(/[,;\n]/)
    .map((name) => name.trim())
    .filter(Boolean)
    .map((typed) => {
      const code = known.get(plain(typed));
      return code ? { code } : { typed, meant: suggest(kind, plain(typed), locale) };
    });
}

const tables = new Map<Kind, Map<string, string>>();

/** Codes by names as `plain` writes them. */
function codesOf(kind: Kind): Map<string, string> {
  const known = tables.get(kind);
  if (known) return known;
  // Names come later and win: “Yi” is a language in German, and the code of another.
  const table = new Map(READ_CODES[kind].map((code) => [plain(code), code]));
  for (const locale of LOCALE_CODES)
    for (const style of ['short', 'long'] as const) {
      const names = new Intl.DisplayNames(LOCALES[locale].tag, { type: kind, style });
      for (const code of READ_CODES[kind]) table.set(plain(names.of(code) ?? code), code);
    }
  for (const [name, code] of Object.entries(OTHER_NAMES[kind])) table.set(name, code);
  tables.set(kind, table);
  return table;
}

/** In lower case, without accents and punctuation. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The name in this language that begins like, or nearly is, what was typed. */
function suggest(kind: Kind, typed: string, locale: Locale): string | null {
  const names = listOf(kind, locale).map(({ label }) => label);
  const beginning = names.filter((name) => plain(name).startsWith(typed));
  if (beginning.length === 1) return beginning[0] ?? null;
  const near = names
    .map((name) => ({ name, mistakes: distance(typed, plain(name)) }))
    .sort((a, b) => a.mistakes - b.mistakes)[0];
  return near && near.mistakes <= Math.min(MISTAKES, typed.length - 2) ? near.name : null;
}

/** How many letters have to be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
