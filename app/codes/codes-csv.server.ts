import { stringify } from 'csv-stringify/sync';
import type { Code } from '#contract/codes';
import { nameOf } from './codes.server';
import type { Grade } from './look/scan-report';

export interface ListedFile {
  /** Null when the code no longer exists. */
  code: Code | null;
  /** Its file name in the folder; empty when there is no file. */
  file: string;
  /** Only for a code with its own look. */
  grade: Grade | null;
  /** Why there is no file, as text. */
  problem: string;
}

/**
 * Lists each file of a folder and its code: CSV as the host writes it (`contract/exports.ts`), with the same escaping
 * of texts that a spreadsheet would take for formulas.
 */
export function writeCodesCsv(files: ListedFile[]): string {
  const rows = files.map(({ code, file, grade, problem }) => ({
    file,
    name: code ? nameOf(code) : '',
    content: code?.content ?? '',
    address: code?.dynamic ? code.link : '',
    tags: code?.tags.join(', ') ?? '',
    grade: grade ?? '',
    problem,
  }));
  return stringify(rows, {
    bom: true,
    header: true,
    columns: ['file', 'name', 'content', 'address', 'tags', 'grade', 'problem'],
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
}
