import anyAscii from 'any-ascii';
import { type CodeFormat, extensionOf } from './formats';

export interface NamedFile {
  name: string;
  /** Whether the file contains the content itself instead of the tracked link. */
  isDirect: boolean;
  format: CodeFormat;
  /** Width in pixels; for PDF, in millimetres. */
  size: number;
}

const NAME_LENGTH = 60;

/**
 * Name of a code's file: lowercase ASCII letters, digits and hyphens, safe on every system, such as
 * `qr-menu-table-12-direct-1024.png`. Other scripts are transliterated; a name with nothing left becomes `qr-code-…`.
 */
export function fileNameOf(file: NamedFile): string {
  return composeName(file, 1);
}

/** Like `fileNameOf`, for files in one folder: a name that is already taken gets a number. */
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

/** A text as lowercase ASCII letters and digits with hyphens between words; empty when nothing is left. */
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
