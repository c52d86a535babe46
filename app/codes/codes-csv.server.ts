import { stringify } from 'csv-stringify/sync';
import type { Code } from '#contract/codes';
import { nameOf } from './codes.server';
import { CSV_FORMAT } from './csv-format.server';
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

/** CSV index of the files of a folder and their codes. */
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
    ...CSV_FORMAT,
  });
}
