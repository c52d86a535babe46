import type { Mend } from './style-mends';

/** Independent decoders: different authors, different approaches. */
export const DECODERS = ['zxing', 'zbar', 'jsqr'] as const;
export type Decoder = (typeof DECODERS)[number];

/** The views they read, in display order; `docs/scan-grade.md` describes how each is made. */
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

/**
 * Minimum number of successful readings, out of 36, for each grade; below the last, a styled code gets no
 * files.
 */
export const LEAST_READINGS = { A: 34, B: 30, C: 25 } as const;
export type Grade = keyof typeof LEAST_READINGS;

/** Results of three decoders on twelve views of one picture. */
export interface ScanReport {
  /** Null below the last grade. */
  grade: Grade | null;
  /** Readings that returned exactly the payload, out of `of`. */
  read: number;
  of: number;
  /** The views that not every decoder read, and the decoders that did not. */
  missed: { view: View; decoders: Decoder[] }[];
}

export function gradeOf(read: number): Grade | null {
  const grades = Object.entries(LEAST_READINGS) as [Grade, number][];
  return grades.find(([, least]) => read >= least)?.[0] ?? null;
}

/** Results of examining a drawing before its files are made. */
export interface Examination {
  /** What one decoder reads from a clear picture; null if that is not the payload. */
  readBack: string | null;
  scan: ScanReport;
  /**
   * Whether a scan link was graded in place of the content shown, because the code's files will contain one.
   */
  isOfAddress?: boolean;
  /** Suggested fixes, most promising first; without a grade, only fixes verified to give it one. */
  mends: Mend[];
}
