import { type FilePart, SELECTION_LIMIT, type Selection } from './selection.server';

/** The files that a selection takes, as the first and last number of their codes. */
export function partsOf(count: number, size: number): { from: number; to: number }[] {
  return Array.from({ length: countParts(count, size) }, (_, n) => ({
    from: n * size + 1,
    to: Math.min((n + 1) * size, count),
  }));
}

export function countParts(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}

/** The part that the fields name, or else the first. */
export function readPart(fields: FormData, size: number): FilePart {
  const named = String(fields.get('part') ?? '');
  return { part: (/^\d{1,4}$/.test(named) && Number(named)) || 1, size };
}

/** The codes that go into one file. */
export function codesOfPart({ count, codes }: Selection, { part, size }: FilePart): Selection['codes'] {
  return count > SELECTION_LIMIT ? codes : codes.slice((part - 1) * size, part * size);
}
