import type { Mend } from './style-mends';

/** Who reads: each was written by other people and goes about it in another way. */
export const DECODERS = ['zxing', 'zbar', 'jsqr'] as const;
export type Decoder = (typeof DECODERS)[number];

/** What they look at, in the order in which it is told; `docs/scan-grade.md` says how each is made. */
export const VIEWS = [
  'large',
  'medium',
  'small',
  'turned',
  'tilted',
  'blurred',
  'dim',
  'faded',
  'shadow',
  'noisy',
  'jpeg',
  'page',
] as const;
export type View = (typeof VIEWS)[number];

/** Readings, of 36, that a grade takes at least; with fewer than the last a styled code is not handed out. */
export const LEAST_READINGS = { A: 34, B: 30, C: 25 } as const;
export type Grade = keyof typeof LEAST_READINGS;

/** What three decoders made of twelve views of one picture. */
export interface ScanReport {
  /** Null below the last grade. */
  grade: Grade | null;
  /** Readings that gave exactly what the code holds, of `of`. */
  read: number;
  of: number;
  /** The views that not every decoder read, and the decoders that did not. */
  missed: { view: View; decoders: Decoder[] }[];
}

export function gradeOf(read: number): Grade | null {
  const grades = Object.entries(LEAST_READINGS) as [Grade, number][];
  return grades.find(([, least]) => read >= least)?.[0] ?? null;
}

/** What is told of a drawing before it is handed out. */
export interface Examination {
  /** What one decoder reads from a clear picture; null where that is not what the code holds. */
  readBack: string | null;
  scan: ScanReport;
  /** What would make it better, the likeliest first; where it has no grade, only what was seen to give it one. */
  mends: Mend[];
}
