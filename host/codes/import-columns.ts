import { completeLink } from '#contract/contents';
import type { ImportField, ImportReport } from '#contract/imports';
import { foldLabel } from '#contract/labels';
import { invalidField } from '#host/http/errors';
import type { ReadFile } from './import-file';

/** Which column holds which field, and the rows below the headers. */
export interface Columns {
  source: ImportReport['source'];
  columns: ImportReport['columns'];
  rows: ReadFile['rows'];
}

/**
 * Headers for each field, as `headerKey` spells them; if a file has several of them, the first one listed here counts.
 */
const HEADERS: Record<ImportField, string[]> = {
  name: [
    'name',
    'title',
    'label',
    'nom',
    'titre',
    'nombre',
    'titulo',
    'titel',
    'bezeichnung',
    'nome',
    'titolo',
    'qr code name',
    'code name',
  ],
  type: ['type', 'code type', 'qr code type', 'tipo', 'typ', 'art'],
  content: [
    'content',
    'contenu',
    'contenido',
    'inhalt',
    'contenuto',
    'long url',
    'destination url',
    'target url',
    'destination',
    'target',
    'ziel',
    'destino',
    'destinazione',
    'cible',
    'url',
    'website',
    'web address',
    'adresse web',
    'direccion web',
    'webadresse',
    'indirizzo web',
    'original url',
    'text',
    'texte',
    'texto',
    'testo',
    'link',
    'lien',
    'enlace',
  ],
  tags: [
    'tags',
    'tag',
    'etiquettes',
    'etiquetas',
    'schlagworter',
    'schlagworte',
    'etichette',
    'labels',
    'folder',
  ],
  visibility: ['visibility', 'visibilite', 'visibilidad', 'sichtbarkeit', 'visibilita'],
  subject: ['subject', 'objet', 'sujet', 'asunto', 'betreff', 'oggetto'],
  body: ['body', 'message', 'mensaje', 'nachricht', 'messaggio'],
  ssid: ['ssid', 'network', 'network name', 'reseau', 'red', 'netzwerk', 'rete'],
  passphrase: ['passphrase', 'password', 'mot de passe', 'contrasena', 'passwort', 'wifi password'],
  security: ['security', 'encryption', 'securite', 'seguridad', 'sicherheit', 'sicurezza'],
  hidden: ['hidden', 'masque', 'oculta', 'versteckt', 'nascosta'],
};

/** Maps the columns to fields. Refuses the field `file` if it is empty or no column holds the content of codes. */
export function readColumns({ rows }: ReadFile): Columns {
  const [first, ...below] = rows;
  if (!first) throw invalidField('file', 'import_empty');
  const keys = first.cells.map(headerKey);
  const fields = keys.map((): ImportField | null => null);
  for (const [field, names] of Object.entries(HEADERS) as [ImportField, string[]][]) {
    const name = names.find((known) => keys.includes(known));
    if (name !== undefined) fields[keys.indexOf(name)] = field;
  }
  if (fields.includes('content') || fields.includes('ssid')) {
    if (below.length === 0) throw invalidField('file', 'import_empty');
    const columns = first.cells.map((header, index) => ({ header, field: fields[index] ?? null }));
    return { source: sourceOf(keys), columns, rows: below };
  }
  return withoutHeaders(rows);
}

/** A bare list of addresses: its columns are named as in spreadsheets. */
function withoutHeaders(rows: ReadFile['rows']): Columns {
  const cells = rows[0]?.cells ?? [];
  const content = cells.findIndex(
    (cell) => /^(?:https?:\/\/|www\.)/i.test(cell.trim()) && completeLink(cell) !== null,
  );
  if (content < 0) throw invalidField('file', 'import_no_content');
  const name = cells.findIndex((_, index) => index !== content);
  const columns = cells.map((_, index) => ({
    header: spreadsheetName(index),
    field: index === content ? ('content' as const) : index === name ? ('name' as const) : null,
  }));
  return { source: 'other', columns, rows };
}

/** A to Z, then AA, AB and so on. */
function spreadsheetName(index: number): string {
  const before = Math.floor(index / 26);
  const letter = String.fromCharCode('A'.charCodeAt(0) + (index % 26));
  return before === 0 ? letter : spreadsheetName(before - 1) + letter;
}

function sourceOf(keys: string[]): ImportReport['source'] {
  const has = (...names: string[]) => names.every((name) => keys.includes(name));
  if (has('long url') && (has('title') || has('bitlink') || has('link'))) return 'bitly';
  if (has('short link', 'destination url')) return 'dub';
  if (has('short url') && (has('target url') || has('destination') || has('content')))
    return 'qr_code_generator';
  if (has('content', 'type')) return 'quadrille';
  return 'other';
}

function headerKey(header: string): string {
  return foldLabel(header.replace(/[_\-.:*]+/g, ' '));
}
