import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime, pageOf } from './call';
import { CAMPAIGN_INPUTS, type CampaignInput } from './campaign';
import { CodeType, Visibility } from './codes';
import { FIELDS, type FieldName } from './contents/contents';
import { Job } from './jobs';
import { LogoInput } from './logo-choice';

/** Limit of a file to import; see also `IMPORT_FORM_BYTES`. */
export const IMPORT_BYTES = 5 * 1024 * 1024;
export const IMPORT_ROWS = 10_000;
/** Problems, or duplicates, on one page of a report. */
export const REPORT_ENTRIES_PER_PAGE = 500;
/** A slightly oversized file is still read, so that the error is reported on its field. */
export const IMPORT_FORM_BYTES = 1.5 * IMPORT_BYTES;

const CODE_COLUMNS = ['name', 'type', 'content', 'tags', 'visibility', 'counted'] as const;
export type ImportField = (typeof CODE_COLUMNS)[number] | FieldName | CampaignInput;

/** Fields of a code that a column can hold; also the headers of the template file, in this order. */
export const IMPORT_FIELDS = [
  ...new Set<ImportField>([...CODE_COLUMNS, ...(Object.keys(FIELDS) as FieldName[]), ...CAMPAIGN_INPUTS]),
];
export const ImportField = z.enum(IMPORT_FIELDS);

/** A problem with one cell. Rows are numbered as in spreadsheets: the headers are row 1. */
const ImportProblem = z.object({
  row: z.int(),
  /** Header of the column; null if the file has none for it. */
  column: z.string().nullable(),
  field: ImportField,
  /** As in the file, at most 100 characters. */
  value: z.string(),
  /** A message code. */
  reason: z.string(),
});
export type ImportProblem = z.infer<typeof ImportProblem>;

/** A valid row that duplicates an earlier row, or a code of the account if `of` is null. */
const ImportDuplicate = z.object({ row: z.int(), of: z.int().nullable() });
export type ImportDuplicate = z.infer<typeof ImportDuplicate>;

/** Preview of an import. No code is created before `startImport`. */
export const ImportReport = z.object({
  id: Id,
  fileName: z.string(),
  /** The product that exported the file, judged by its headers. */
  source: z.enum([
    'quadrille',
    'bitly',
    'qr_code_generator',
    'dub',
    'shlink',
    'short_io',
    'rebrandly',
    'yourls',
    'other',
  ]),
  encoding: z.enum(['utf-8', 'utf-16', 'windows-1252', 'macintosh']),
  delimiter: z.enum([',', ';', '\t', '|']),
  /** Columns in file order; `field` is null for unrecognised ones. */
  columns: z.array(z.object({ header: z.string(), field: ImportField.nullable() })),
  /** Non-empty rows, without the headers. */
  rows: z.int(),
  /** Rows that can become codes. */
  valid: z.int(),
  /** The first five of these. */
  preview: z.array(
    z.object({
      row: z.int(),
      type: CodeType,
      name: z.string().nullable(),
      content: z.string(),
      tags: z.array(z.string()),
      visibility: Visibility,
    }),
  ),
  /** The first 500; `listImportProblems` has all. */
  problems: z.array(ImportProblem),
  problemCount: z.int(),
  /** The first 500; `listImportDuplicates` has all. */
  duplicates: z.array(ImportDuplicate),
  duplicateCount: z.int(),
  createdAt: IsoDateTime,
});
export type ImportReport = z.infer<typeof ImportReport>;

/**
 * Refuses the field `file` with `import_required`, `import_too_large`, `import_not_csv`, `import_empty`,
 * `import_too_many_rows`, `import_too_many_columns`, `import_no_content` or `import_too_complex`.
 */
export const createImport = call({
  name: 'createImport',
  method: 'POST',
  path: '/api/imports',
  summary: 'Validate a CSV file and report which codes it would create; the file is kept for a day',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/imports',
  form: z.object({
    file: z
      .custom<File>((value) => value instanceof Blob, 'import_required')
      .refine((file) => file.size <= IMPORT_BYTES, 'import_too_large')
      .meta({ type: 'string', format: 'binary' }),
  }),
  maxBodyBytes: IMPORT_FORM_BYTES,
  response: dataOf(ImportReport),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'too_large', 'rate_limited', 'unavailable'],
});

const params = z.object({ id: Id });
const pageQuery = z.object({ page: z.coerce.number().int().min(1).max(100_000).catch(1) });

export const getImport = call({
  name: 'getImport',
  method: 'GET',
  path: '/api/imports/{id}',
  summary: 'The report on a validated file, and the job that creates its codes',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/imports/{id}',
  params,
  response: dataOf(z.object({ report: ImportReport, job: Job.nullable() })),
  errors: ['unauthenticated', 'not_found'],
});

export const listImportProblems = call({
  name: 'listImportProblems',
  method: 'GET',
  path: '/api/imports/{id}/problems',
  summary: 'One page of 500 of the problems of a validated file, in the order of its rows',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/imports/{id}/problems',
  params,
  query: pageQuery,
  response: pageOf(ImportProblem),
  errors: ['unauthenticated', 'not_found'],
});

export const listImportDuplicates = call({
  name: 'listImportDuplicates',
  method: 'GET',
  path: '/api/imports/{id}/duplicates',
  summary: 'One page of 500 of the duplicates in a validated file, in the order of its rows',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/imports/{id}/duplicates',
  params,
  query: pageQuery,
  response: pageOf(ImportDuplicate),
  errors: ['unauthenticated', 'not_found'],
});

/**
 * Refuses the field `file` with `import_nothing_left`, and the field `style` with `style_unknown` if the account has no
 * such style, or with what is wrong with a style that was saved under other rules.
 */
export const startImport = call({
  name: 'startImport',
  method: 'POST',
  path: '/api/imports/{id}/start',
  summary: 'Start a job that creates codes from the valid rows of a file; works once per file',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/imports/{id}/start',
  params,
  body: z.object({
    skipDuplicates: z.boolean().default(false),
    style: z
      .union([z.enum(['none', 'default']), z.uuid('style_unknown')], 'style_unknown')
      .default('none')
      .describe(
        "Look of the new codes, which get a copy of it: the id of a saved style, `default` for the account's default style, if it has one, or `none` for dark squares on white.",
      ),
    /** Logo of the new codes; absent for that of the saved style, or none. */
    logo: LogoInput.optional(),
  }),
  response: dataOf(Job),
  trial: Job.pick({ total: true }),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'rate_limited'],
});

/** CSV in the format of `exportCodes`. */
export const IMPORTED_COLUMNS = ['row', 'name', 'type', 'content', 'tags', 'link', 'scan_link'] as const;

export const exportImportedCodes = call({
  name: 'exportImportedCodes',
  method: 'GET',
  path: '/api/jobs/{id}/codes.csv',
  summary: 'CSV of the codes that an import has created so far, with their addresses',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/jobs/{id}/codes.csv',
  mediaType: 'text/csv',
  params,
  errors: ['unauthenticated', 'not_found', 'rate_limited'],
});
