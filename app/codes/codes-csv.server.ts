import { stringify } from 'csv-stringify/sync';
import type { Code } from '#contract/codes';
import { nameOf } from './codes.server';

export interface ListedFile {
  /** Null for one that is not there any more. */
  code: Code | null;
  /** Its name in the folder; empty where there is none. */
  file: string;
  /** Why there is none, in words. */
  problem: string;
}

/**
 * What lies in each file of a folder: CSV as the host writes it (`contract/exports.ts`), with the same care for texts that
 * a spreadsheet would take for formulas.
 */
export function writeCodesCsv(files: ListedFile[]): string {
  const rows = files.map(({ code, file, problem }) => ({
    file,
    name: code ? nameOf(code) : '',
    content: code?.content ?? '',
    address: code?.dynamic ? code.link : '',
    tags: code?.tags.join(', ') ?? '',
    problem,
  }));
  return stringify(rows, {
    bom: true,
    header: true,
    columns: ['file', 'name', 'content', 'address', 'tags', 'problem'],
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
}
