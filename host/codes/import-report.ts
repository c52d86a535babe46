import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CodeFields, type CodeType, completeLink, isEmailAddress } from '#contract/contents';
import {
  type ImportDuplicate,
  type ImportField,
  type ImportProblem,
  type ImportReport,
  REPORT_ENTRIES_PER_PAGE,
} from '#contract/imports';
import { foldLabel, readName, readTags, TAGS_PER_ACCOUNT } from '#contract/labels';
import { meantMailAddress } from '#contract/mail-addresses';
import type { WifiSecurity } from '#contract/wifi';
import type { NewDesign } from './codes.create';
import { type LinkRules, readContent, readFields } from './contents';
import type { Columns } from './import-columns';

/** A row that can become a code. */
export interface ImportedRow {
  row: number;
  design: Pick<NewDesign, 'type' | 'content' | 'subject' | 'body' | 'visibility' | 'name'> & {
    tags: string[];
  };
  isDuplicate: boolean;
}

/** What the account already has. */
export interface Known {
  tagKeys: ReadonlySet<string>;
  /** Which of these designs are already codes, by `designKey`. */
  findExisting(designs: ImportedRow['design'][]): Promise<ReadonlySet<string>>;
}

type Outcome = Pick<
  ImportReport,
  'valid' | 'preview' | 'problems' | 'problemCount' | 'duplicates' | 'duplicateCount'
>;

const PREVIEWED = 5;
const VALUE_CHARACTERS = 100;
/** Texts that exports, such as ours (`host/http/csv.ts`), guard against being taken for formulas. */
const EXPORTED: ImportField[] = ['name', 'content', 'tags', 'subject', 'body'];
/** Spaces belong to them, as phones have to send them to the network. */
const AS_WRITTEN: ImportField[] = ['ssid', 'passphrase'];
const GUARD = /^'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/;
/** Rows read before anything else gets its turn. */
const ROWS_AT_ONCE = 100;
/** More than any word below, decomposed. */
const WORD_UNITS = 60;

const TYPES: Record<CodeType, string[]> = {
  link: ['link', 'url', 'website', 'lien', 'enlace', 'dynamic url', 'web'],
  text: ['text', 'texte', 'texto', 'testo', 'plain text'],
  email: ['email', 'e-mail', 'mail', 'correo', 'courriel'],
  wifi: ['wifi', 'wi-fi', 'wlan'],
};
const PRIVATE = ['private', 'prive', 'privado', 'privada', 'privat', 'privato', 'privata'];
const PUBLIC = ['', 'public', 'publico', 'publica', 'offentlich', 'pubblico', 'pubblica', 'publique'];
const SECURITIES: Record<WifiSecurity, string[]> = {
  WPA: ['', 'wpa', 'wpa2', 'wpa3', 'wpa/wpa2', 'wpa/wpa2/wpa3'],
  WEP: ['wep'],
  nopass: ['nopass', 'none', 'open', 'aucune', 'ninguna', 'keine', 'nessuna'],
};
const WIFI_TEXT = /^wifi:/i;
const YES = ['true', 'yes', '1', 'oui', 'si', 'ja', 'x'];

/**
 * Reads every row of a file: which can become codes, which cannot and why, and which are duplicates. `problems` and
 * `duplicates` are all, of which the outcome has the first page.
 */
export async function readImport(
  { columns, rows, source }: Columns,
  known: Known,
  rules: LinkRules,
): Promise<{
  outcome: Outcome;
  imported: ImportedRow[];
  problems: ImportProblem[];
  duplicates: ImportDuplicate[];
}> {
  const problems: ImportProblem[] = [];
  const imported: ImportedRow[] = [];
  const tagKeys = new Set(known.tagKeys);
  const places = new Map(columns.flatMap(({ field }, index) => (field ? [[field, index] as const] : [])));
  for (const [index, { row, cells }] of rows.entries()) {
    if (index % ROWS_AT_ONCE === 0) await nextTurn();
    const writtenIn = (field: ImportField) => {
      const cell = cells[places.get(field) ?? -1] ?? '';
      return AS_WRITTEN.includes(field) ? cell : cell.trim();
    };
    const cellOf = (field: ImportField) =>
      EXPORTED.includes(field) ? withoutGuard(writtenIn(field)) : writtenIn(field);
    const read = readRow(cellOf, source !== 'other' && source !== 'quadrille', rules);
    const newTagKeys =
      'design' in read ? read.design.tags.map(foldLabel).filter((key) => !tagKeys.has(key)) : [];
    const refused: Refused =
      'refused' in read
        ? read.refused
        : tagKeys.size + newTagKeys.length > TAGS_PER_ACCOUNT
          ? { tags: 'account_tags_too_many' }
          : {};
    const found = Object.entries(refused) as [ImportField, string][];
    for (const [field, reason] of found) {
      const column = columns[places.get(field) ?? -1]?.header ?? null;
      const value = Array.from(writtenIn(field)).slice(0, VALUE_CHARACTERS).join('');
      problems.push({ row, column, field, value: value.replaceAll('\0', '\ufffd'), reason });
    }
    if (found.length > 0 || !('design' in read)) continue;
    for (const key of newTagKeys) tagKeys.add(key);
    imported.push({ row, design: read.design, isDuplicate: false });
  }
  const duplicates = await markDuplicates(imported, known);
  const preview = imported.slice(0, PREVIEWED).map(({ row, design }) => {
    const { type, content, tags, visibility, name = null } = design;
    return { row, type, name, content, tags, visibility };
  });
  const outcome = {
    valid: imported.length,
    preview,
    problems: problems.slice(0, REPORT_ENTRIES_PER_PAGE),
    problemCount: problems.length,
    duplicates: duplicates.slice(0, REPORT_ENTRIES_PER_PAGE),
    duplicateCount: duplicates.length,
  };
  return { outcome, imported, problems, duplicates };
}

function withoutGuard(cell: string): string {
  return cell.replace(GUARD, '').trim();
}

type Refused = Partial<Record<ImportField, string>>;

function readRow(
  cellOf: (field: ImportField) => string,
  holdsLinks: boolean,
  rules: LinkRules,
): { design: ImportedRow['design'] } | { refused: Refused } {
  const refused: Refused = {};
  const content = cellOf('content').replace(/^mailto:/i, '');
  const wordOf = (field: ImportField) => {
    const cell = cellOf(field);
    return cell.length > WORD_UNITS ? cell : foldLabel(cell);
  };
  const typed = wordOf('type');
  const named = (Object.keys(TYPES) as CodeType[]).find((type) => TYPES[type].includes(typed));
  const type = holdsLinks
    ? 'link'
    : (named ?? (typed === '' ? guessType(content, cellOf('ssid').trim() !== '') : undefined));
  if (type === undefined) refused.type = 'type_unavailable';
  const word = wordOf('visibility');
  const visibility = PRIVATE.includes(word) ? 'private' : 'public';
  if (visibility === 'public' && !PUBLIC.includes(word)) refused.visibility = 'visibility_invalid';
  if (type === 'wifi' && visibility === 'private') refused.visibility = 'wifi_public';
  const name = readName(cellOf('name'));
  if ('problem' in name) refused.name = name.problem;
  const tags = readTags(cellOf('tags').split(/[,;|]/));
  if ('problem' in tags) refused.tags = tags.problem;
  const typedSecurity = wordOf('security');
  const security = (Object.keys(SECURITIES) as WifiSecurity[]).find((one) =>
    SECURITIES[one].includes(typedSecurity),
  );
  if (type === 'wifi' && !security) refused.security = 'security_invalid';
  const fields: CodeFields = {
    type: type ?? 'link',
    content,
    subject: cellOf('subject'),
    body: cellOf('body'),
    ssid: cellOf('ssid'),
    passphrase: cellOf('passphrase'),
    security: security ?? 'WPA',
    hidden: YES.includes(wordOf('hidden')),
  };
  const isWifiText = type === 'wifi' && WIFI_TEXT.test(content);
  const read = isWifiText
    ? readContent('wifi', { content, subject: '', body: '' }, rules)
    : readFields(fields, rules);
  if ('refused' in read && type !== undefined)
    for (const [field, [reason = 'content_invalid']] of Object.entries(read.refused))
      refused[field as ImportField] = reason;
  if ('refused' in read || !('name' in name) || !('tags' in tags) || Object.keys(refused).length > 0)
    return { refused };
  return { design: { type: type ?? 'link', ...read.values, visibility, name: name.name, tags: tags.tags } };
}

function guessType(content: string, hasNetwork: boolean): CodeType {
  if ((content === '' && hasNetwork) || WIFI_TEXT.test(content)) return 'wifi';
  const isMail = isEmailAddress(content) || meantMailAddress(content) !== null;
  return isMail && completeLink(content) === null ? 'email' : 'link';
}

/** Marks every row that duplicates an earlier one, or a code of the account. */
async function markDuplicates(imported: ImportedRow[], known: Known): Promise<ImportDuplicate[]> {
  const existing = await known.findExisting(imported.map(({ design }) => design));
  const first = new Map<string, number>();
  const duplicates: ImportDuplicate[] = [];
  for (const one of imported) {
    const key = designKey(one.design);
    const firstRow = first.get(key) ?? null;
    one.isDuplicate = firstRow !== null || existing.has(key);
    if (one.isDuplicate) duplicates.push({ row: one.row, of: firstRow });
    if (firstRow === null) first.set(key, one.row);
  }
  return duplicates;
}

/** Equal for codes that open the same content. */
export function designKey({
  type,
  content,
  subject,
  body,
}: Pick<NewDesign, 'type' | 'content' | 'subject' | 'body'>): string {
  return JSON.stringify([type, content, subject ?? '', body ?? '']);
}
