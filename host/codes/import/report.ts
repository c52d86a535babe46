import { CAMPAIGN_INPUTS, readCampaignInputs, SLUG_EXAMPLE } from '#contract/campaign';
import {
  CODE_TYPES,
  type CodeFields,
  type CodeType,
  DEFAULT_TYPE,
  FIELDS,
  fieldNamesOf,
  isDynamic,
  isRedirected,
  mainFieldOf,
  refusalsOf,
} from '#contract/contents/contents';
import { withoutGuards } from '#contract/exports';
import {
  type ImportDuplicate,
  type ImportField,
  type ImportProblem,
  type ImportReport,
  REPORT_ENTRIES_PER_PAGE,
} from '#contract/imports';
import { foldLabel, readName, readTags, TAGS_PER_ACCOUNT } from '#contract/labels';
import { firstCharacters } from '#contract/storable';
import { campaignProblem, campaignText } from '#host/codes/code/campaign';
import type { NewDesign } from '#host/codes/code/create';
import { type LinkRules, readContent, readFields } from '#host/codes/contents/contents';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { fitCells } from './cells';
import { type Columns, type Row, readColumns } from './columns';
import { readImportFile } from './file';
import { readCounted, readType, readVisibility } from './words';

/** A row that can become a code. */
export interface ImportedRow {
  row: number;
  design: Pick<
    NewDesign,
    'type' | 'content' | 'subject' | 'body' | 'visibility' | 'isCounted' | 'name' | 'campaign'
  > & {
    tags: string[];
  };
  isDuplicate: boolean;
}

export interface ImportInput {
  bytes: Uint8Array;
  rules: LinkRules;
  /** Keys of the account's tags. */
  tagKeys: readonly string[];
}

/** A file that was read, as far as no code of the account is needed; rows and later pages as they are stored. */
export interface ReadImport {
  report: Omit<ImportReport, 'id' | 'fileName' | 'createdAt' | 'duplicates' | 'duplicateCount'>;
  /** The rows that can become codes, a hundred each, as JSON. */
  parts: string[];
  /** Problems from the second page on, as JSON. */
  problemPages: string[];
  /** Rows that repeat earlier ones, in their order. */
  repeated: ImportDuplicate[];
}

/** Rows of one part: they become codes in one transaction. */
const PART = 100;
const PREVIEWED = 5;
const VALUE_CHARACTERS = 100;
/** Texts that exports, such as ours, guard against being taken for formulas. */
const EXPORTED: ImportField[] = ['name', 'content', 'tags', 'subject', 'body', ...CAMPAIGN_INPUTS];
const AS_WRITTEN = Object.entries(FIELDS).flatMap(([field, rule]) => ('isExact' in rule ? [field] : []));

type Refused = Partial<Record<ImportField, string>>;

/** Reads every row of a file: which can become codes, and which cannot and why. Throws `FileRefused`. */
export function readImport({ bytes, rules, tagKeys }: ImportInput): ReadImport {
  const { encoding, delimiter, rows, isUsed } = readImportFile(bytes);
  const columns = readColumns(rows, isUsed);
  const problems: ImportProblem[] = [];
  const imported: ImportedRow[] = [];
  const keys = new Set(tagKeys);
  for (const row of columns.rows) {
    const cells = fitCells(row, columns, delimiter);
    const read = cells ? readRow(cells, columns, rules) : { refused: uncertainCells(columns) };
    const newKeys = 'design' in read ? read.design.tags.map(foldLabel).filter((key) => !keys.has(key)) : [];
    const refused: Refused = 'refused' in read ? read.refused : {};
    if (newKeys.length > 0 && keys.size + newKeys.length > TAGS_PER_ACCOUNT)
      refused.tags ??= 'account_tags_too_many';
    for (const [field, reason] of Object.entries(refused) as [ImportField, string][])
      problems.push(problemOf(row, cells, columns, field, reason));
    if ('refused' in read || refused.tags) continue;
    for (const key of newKeys) keys.add(key);
    imported.push({ row: row.row, design: read.design, isDuplicate: false });
  }
  const repeated = markRepeated(imported);
  const pages = inPages(problems, REPORT_ENTRIES_PER_PAGE);
  return {
    report: {
      source: columns.source,
      encoding,
      delimiter,
      columns: columns.columns,
      rows: columns.rows.length,
      valid: imported.length,
      preview: imported.slice(0, PREVIEWED).map(({ row, design }) => {
        const { type, content, tags, visibility, name = null } = design;
        return { row, type, name, content, tags, visibility };
      }),
      problems: pages[0] ?? [],
      problemCount: problems.length,
    },
    parts: inPages(imported, PART).map((part) => JSON.stringify(part)),
    problemPages: pages.slice(1).map((page) => JSON.stringify(page)),
    repeated,
  };
}

function inPages<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, page) =>
    entries.slice(page * size, (page + 1) * size),
  );
}

function problemOf(
  { row, raw }: Row,
  cells: readonly string[] | null,
  { fields, headers }: Columns,
  field: ImportField,
  reason: string,
): ImportProblem {
  const place = fields.indexOf(field);
  const written = cells ? (cells[place] ?? '') : raw;
  const shown = AS_WRITTEN.includes(field) ? written : written.trim();
  const value = firstCharacters(shown, VALUE_CHARACTERS);
  return { row, column: headers[place] ?? null, field, value: value.replaceAll('\0', '\ufffd'), reason };
}

function uncertainCells({ fields }: Columns): Refused {
  const main = CODE_TYPES.map(mainFieldOf).find((field) => fields.includes(field)) ?? 'content';
  return { [main]: 'import_cells_too_many' };
}

function readRow(
  cells: readonly string[],
  { fields, angles, holdsLinks, tagSeparator }: Columns,
  rules: LinkRules,
): { design: ImportedRow['design'] } | { refused: Refused } {
  const cellOf = (field: ImportField) => {
    if (field === 'position' && angles.length > 0)
      return angles.flatMap((place) => cells[place]?.trim() || []).join('; ');
    const cell = cells[fields.indexOf(field)] ?? '';
    if (AS_WRITTEN.includes(field)) return cell;
    return EXPORTED.includes(field) ? withoutGuards(cell.trim()).trim() : cell.trim();
  };
  const refused: Refused = {};
  const content = CODE_TYPES.reduce<string>(
    (cell, type) => HOSTED[type].cleaned?.(cell) ?? cell,
    cellOf('content'),
  );
  const named = readType(cellOf('type'));
  const type = holdsLinks ? DEFAULT_TYPE : named === null ? guessType(content, cellOf) : named;
  if (type === undefined) refused.type = 'type_unavailable';
  const visibility = readVisibility(cellOf('visibility')) ?? 'public';
  if (readVisibility(cellOf('visibility')) === undefined) refused.visibility = 'visibility_invalid';
  const counted = readCounted(cellOf('counted'));
  if (counted === undefined) refused.counted = 'counted_invalid';
  const known = type ?? DEFAULT_TYPE;
  if (counted === 'no' && !isDynamic(known)) refused.counted = 'counted_in_image';
  const refusals = refusalsOf(known);
  if (refusals && visibility === 'private') refused.visibility = refusals.hide;
  const name = readName(cellOf('name'));
  if ('problem' in name) refused.name = name.problem;
  const tags = readTags(cellOf('tags').split(tagSeparator));
  if ('problem' in tags) refused.tags = tags.problem;
  const own = HOSTED[known].readCells?.(cellOf);
  Object.assign(refused, own?.refused);
  const texts = Object.fromEntries(fieldNamesOf(known).map((field) => [field, cellOf(field)]));
  const typed = { ...texts, content, ...own?.fields, type: known } as CodeFields;
  const read = HOSTED[known].isStored?.(content)
    ? readContent(known, { content, subject: '', body: '' }, rules)
    : readFields(typed, rules);
  if ('refused' in read && type !== undefined)
    for (const [field, [reason = 'content_invalid']] of Object.entries(read.refused))
      refused[field as ImportField] = reason;
  const campaign = readCampaignCells(known, cellOf);
  if ('problems' in campaign)
    for (const { field, code } of campaign.problems) refused[field as ImportField] = code;
  // Which passphrases are valid depends on the security.
  if (refused.security) delete refused.passphrase;
  if ('refused' in read || !('name' in name) || !('tags' in tags) || Object.keys(refused).length > 0)
    return { refused };
  const labels = { name: name.name, tags: tags.tags };
  const design = { type: known, ...read.values, visibility, isCounted: counted !== 'no', ...labels };
  if (!('campaign' in campaign) || campaign.campaign === null) return { design };
  const withCampaign = { ...design, ...campaign };
  const problem = campaignProblem({ ...withCampaign, slug: SLUG_EXAMPLE }, rules);
  return problem ? { refused: { utm_campaign: problem } } : { design: withCampaign };
}

/** Codes of other types have none: a file may have the columns for some of its rows. */
function readCampaignCells(type: CodeType, cellOf: (field: ImportField) => string) {
  if (!isRedirected(type)) return { campaign: null };
  return readCampaignInputs(Object.fromEntries(CAMPAIGN_INPUTS.map((name) => [name, cellOf(name)])));
}

function guessType(content: string, cellOf: (field: ImportField) => string): CodeType {
  return CODE_TYPES.findLast((type) => HOSTED[type].isMeant?.(content, cellOf)) ?? DEFAULT_TYPE;
}

/** Marks every row that repeats an earlier one. */
function markRepeated(imported: ImportedRow[]): ImportDuplicate[] {
  const first = new Map<string, number>();
  const repeated: ImportDuplicate[] = [];
  for (const one of imported) {
    const key = designKey(one.design);
    const of = first.get(key);
    one.isDuplicate = of !== undefined;
    if (of === undefined) first.set(key, one.row);
    else repeated.push({ row: one.row, of });
  }
  return repeated;
}

/** Equal for codes that open the same content, with the same campaign parameters. */
export function designKey({
  type,
  content,
  subject,
  body,
  campaign,
}: Pick<NewDesign, 'type' | 'content' | 'subject' | 'body' | 'campaign'>): string {
  return JSON.stringify([type, content, subject ?? '', body ?? '', campaignText(campaign ?? null)]);
}
