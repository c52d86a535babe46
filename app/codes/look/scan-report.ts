import type { Mend } from './style-mends';

/** Independent decoders: different authors, different approaches. */
export const DECODERS = ['zxing', 'zbar', 'jsqr'] as const;
export type Decoder = (typeof DECODERS)[number];

/** The views they read, in display order; `docs/scan-grade.md` says how each is made. */
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

/** Minimum readings, of 36, for each grade; with fewer than the last, a styled code is not handed out. */
export const LEAST_READINGS = { A: 34, B: 30, C: 25 } as const;
export type Grade = keyof typeof LEAST_READINGS;

/** Results of three decoders on twelve views of one picture. */
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

/** The report on a drawing before it is handed out. */
export interface Examination {
  /** What one decoder reads from a clear picture; null when that is not what the picture was to hold. */
  readBack: string | null;
  scan: ScanReport;
  /** Whether an address of ours was graded in place of the content shown: files of the code will hold one. */
  isOfAddress?: boolean;
  /** Suggested fixes, most promising first; without a grade, only fixes that were tested to give it one. */
  mends: Mend[];
}
