import type { Fix } from './style-fixes';

/** Independent decoders: different authors, different approaches. */
export const DECODERS = ['zxing', 'zbar', 'jsqr'] as const;
export type Decoder = (typeof DECODERS)[number];
export const DECODER_NAMES: Record<Decoder, string> = { zxing: 'zxing', zbar: 'ZBar', jsqr: 'jsQR' };

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

/** Plain pictures that every decoder must read as well: of the SVG in two sizes, and of the PDF. */
export const PROOFS = ['plain', 'larger', 'pdf'] as const;
export type Proof = (typeof PROOFS)[number];

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
  /** Of a look: the proof pictures in the order of `PROOFS`, with the decoders that did not read them. */
  proofs: { proof: Proof; missedBy: Decoder[] }[];
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
  fixes: Fix[];
}

/** What a preview says about its drawing: the decoders' results, or why there are none; neither until they arrive. */
export interface Findings {
  examination?: Examination | undefined;
  /** Why the form would refuse the design, in the language of the page. */
  problem?: string | undefined;
}
