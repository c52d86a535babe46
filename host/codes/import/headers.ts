import { IMPORT_FIELDS, type ImportField, type ImportReport } from '#contract/imports';
import { foldLabel } from '#contract/labels';
import { HOSTED } from '#host/codes/contents/hosted-types';

/** Headers for each field; if a file has several of them, the first one listed here counts. */
const HEADERS: Partial<Record<ImportField, string>> = {
  name: `name, title, label, nom, titre, nombre, título, titel, bezeichnung, nome, titolo, intitulé, denominación,
    denominazione, qr code name, code name, qr name, link name, link title, page title, display name, nom du code,
    nom du qr code, nombre del código, nombre del código qr, name des codes, name des qr codes, nome del codice,
    nome del codice qr`,
  type: `type, code type, qr code type, qr type, content type, campaign type, kind, tipo, typ, art, type de code,
    type de qr code, tipo de código, tipo de código qr, tipo di codice, tipo di codice qr, codetyp, inhaltstyp`,
  content: `content, contenu, contenido, inhalt, contenuto, long url, long link, original url, original link,
    destination url, destination link, destination address, target url, target link, target address, redirect url,
    redirect to, forward url, final url, full url, full link, website url, website link, landing page url, page url,
    web url, link url, qr code content, qr content, qr code data, qr data, encoded data, encoded content, payload,
    url longue, lien long, url de destination, lien de destination, adresse de destination, url cible, lien cible,
    adresse cible, url d’origine, url larga, enlace largo, url de destino, enlace de destino, dirección de destino,
    url original, enlace original, lange url, langer link, ziel url, ziel link, zieladresse, zielseite,
    url lungo, url lunga, link lungo, url di destinazione, link di destinazione, indirizzo di destinazione,
    url originale, destination, target, ziel, destino, destinazione, cible, url, urls, website, web site, web page,
    landing page, web address, web link, homepage, site web, page web, adresse web, adresse internet, sitio web,
    página web, dirección web, webadresse, webseite, internetadresse, internetseite, sito web, sito, pagina web,
    indirizzo web, uri, href, text, texte, texto, testo, link, links, lien, liens, enlace, enlaces, collegamento`,
  tags: `tags, tag, tag names, étiquettes, étiquette, etiquetas, etiqueta, schlagwörter, schlagworte, schlagwort,
    stichwörter, etichette, etichetta, labels, folder, folders, folder name, category, categories, group, dossier,
    catégorie, catégories, carpeta, categoría, categorías, ordner, kategorie, kategorien, gruppe, cartella,
    categoria, categorie`,
  visibility: `visibility, visibilité, visibilidad, sichtbarkeit, visibilità, who can open it, qui peut l’ouvrir,
    quién puede abrirlo, wer ihn öffnen kann, chi può aprirlo`,
  counted: `counted, count visits, visits counted, visits are counted, compter les visites, visites comptées,
    les visites sont comptées, contar visitas, contar las visitas,
    se cuentan las visitas, visitas contadas, besuche zählen, besuche gezählt,
    besuche werden gezählt, contare le visite, conta le visite, visite contate`,
  utm_source: 'utm_source, campaign source',
  utm_medium: 'utm_medium, campaign medium',
  utm_campaign: 'utm_campaign, campaign name',
  utm_term: 'utm_term, campaign term',
  utm_content: 'utm_content, campaign content',
  utm_more: `utm_more, further parameters, autres paramètres, otros parámetros, weitere parameter,
    altri parametri`,
};

/** Headers of the two columns that together hold the position of a place. */
const ANGLES = [
  'latitude, lat, latitud, latitudine, breitengrad, geographische breite',
  'longitude, lng, lon, long, longitud, longitudine, längengrad, geographische länge',
];

/** Headers of the addresses that another service gave out: what codes lead to stands in another column. */
const SHORT_ADDRESSES = `short url, short link, bitlink, custom bitlink, custom link, tiny url, slashtag, short code,
  qr code url, qr url, qr link, scan url, dynamic url`;

/** Groups of headers by which an export is known; of alternatives, which bars separate, one is enough. */
const SOURCES: [source: Exclude<ImportReport['source'], 'other'>, ...headers: string[]][] = [
  ['shlink', 'long url', 'short code', 'domain'],
  ['rebrandly', 'slashtag', 'destination|destination url|long url'],
  ['short_io', 'original url', 'short url|path'],
  ['yourls', 'keyword', 'url', 'clicks|timestamp'],
  ['bitly', 'long url', 'title|bitlink|link'],
  ['bitly', 'destination url', 'link|custom link|bitlink'],
  ['dub', 'short link', 'destination url'],
  ['qr_code_generator', 'short url', 'target url|destination|content'],
  ['quadrille', 'content', 'type'],
];

/** More than any header above. */
const HEADER_UNITS = 100;

const OWN_HEADERS = Object.values(HOSTED).flatMap(({ headers = {} }) => Object.entries(headers));
/** Those that only some types have count after the general ones. */
const KEYS = IMPORT_FIELDS.map((field) => {
  const own = OWN_HEADERS.flatMap(([name, headers]) => (name === field ? [headers] : []));
  return [field, [HEADERS[field] ?? [], own].flat().join().split(',').map(headerKey)] as const;
});
const ANGLE_KEYS = ANGLES.map((names) => names.split(',').map(headerKey));
const SHORT_KEYS = new Set(SHORT_ADDRESSES.split(',').map(headerKey));

/** The same for `longUrl`, `long_url`, `Long URL:` and `LONG URL (required)`. */
function headerKey(header: string): string {
  const withoutHints = header.slice(0, HEADER_UNITS).replace(/\([^)]*\)|\[[^\]]*\]/g, '');
  return foldLabel(withoutHints).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The field of each header, null for those that are none or another column's. */
export function fieldsOf(headers: readonly string[]): (ImportField | null)[] {
  const fields = headers.map((): ImportField | null => null);
  const places = new Map<string, number>();
  for (const [place, header] of headers.entries()) {
    const key = header === '' ? '' : headerKey(header);
    if (!places.has(key)) places.set(key, place);
  }
  for (const [field, known] of KEYS) {
    const key = known.find((one) => places.has(one));
    if (key !== undefined) fields[places.get(key) ?? -1] = field;
  }
  if (!fields.includes('position')) for (const place of anglesOf(headers)) fields[place] ??= 'position';
  return fields;
}

/** The columns of latitude and longitude, in this order; none if one of them is missing. */
export function anglesOf(headers: readonly string[]): number[] {
  const keys = headers.map(headerKey);
  const places = ANGLE_KEYS.map((known) => keys.findIndex((key) => known.includes(key)));
  return places.includes(-1) ? [] : places;
}

export function sourceOf(headers: readonly string[]): ImportReport['source'] {
  const keys = new Set(headers.map(headerKey));
  const isFrom = (needed: string[]) =>
    needed.every((header) => header.split('|').some((one) => keys.has(headerKey(one))));
  return SOURCES.find(([, ...needed]) => isFrom(needed))?.[0] ?? 'other';
}

/** Whether a file lists codes of this product with their addresses, as its exports do. */
export function isOwnExport(headers: readonly string[]): boolean {
  return headers.some((header) => headerKey(header) === headerKey('scan_link'));
}

/** Whether a column holds the addresses of codes or links of another service. */
export function isShortAddress(header: string): boolean {
  return SHORT_KEYS.has(headerKey(header));
}
