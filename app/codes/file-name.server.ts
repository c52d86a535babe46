import anyAscii from 'any-ascii';
import { type CodeFormat, extensionOf } from './file-formats';

export interface NamedFile {
  /** Of the code: what its owner calls it, or what it holds. */
  name: string;
  /** Whether the file holds the content itself instead of the address that is counted. */
  isDirect: boolean;
  format: CodeFormat;
  /** Width: pixels, for PDF millimetres. */
  size: number;
}

const NAME_LENGTH = 60;

/**
 * Name of a code's file: small letters, digits and hyphens of ASCII, which every system keeps and none reserves, such as
 * `qr-menu-table-12-direct-1024.png`. Other scripts are spelled in Latin letters; what leaves nothing is `qr-code-…`.
 */
export function fileNameOf(file: NamedFile): string {
  return composeName(file, 1);
}

/** Like `fileNameOf`, for files that lie in one folder: a name that was given before gets a number. */
export function uniqueFileNames(): (file: NamedFile) => string {
  const given = new Set<string>();
  const lastNumber = new Map<string, number>();
  return (file) => {
    const first = composeName(file, 1);
    let number = lastNumber.get(first) ?? 1;
    let name = composeName(file, number);
    while (given.has(name)) {
      number += 1;
      name = composeName(file, number);
    }
    given.add(name);
    lastNumber.set(first, number);
    return name;
  };
}

/** A text in small ASCII letters and digits with hyphens between its words; empty when nothing can be spelled so. */
function slugOf(text: string): string {
  return anyAscii(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/['`]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_LENGTH)
    .replace(/^-+|-+$/g, '');
}

function composeName({ name, isDirect, format, size }: NamedFile, number: number): string {
  const parts = [
    'qr',
    slugOf(name) || 'code',
    ...(number > 1 ? [String(number)] : []),
    ...(isDirect ? ['direct'] : []),
    format === 'pdf' ? `${size}mm` : String(size),
  ];
  return `${parts.join('-')}.${extensionOf(format)}`;
}
