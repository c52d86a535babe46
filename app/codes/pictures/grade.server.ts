import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { PAPER } from '#contract/style-rules';
import {
  DECODERS,
  type Decoder,
  gradeOf,
  LEAST_READINGS,
  PROOFS,
  type Proof,
  type ScanReport,
  VIEWS,
  type View,
} from '~/codes/look/scan-report';
import { boxOf, type CodeDrawing, svgOf } from './code-image';
import { pdfOf, pdfPixels } from './code-pdf.server';
import { type Pixels, svgPixels } from './decode.server';
import { readWithAll } from './decoders.server';
import { type Master, viewOf } from './views.server';

const MASTER_PIXELS = 640;
const MASTER_PIXELS_PER_MODULE = 6;

/** Every decoder must read a look in this view, whatever the other results. */
const CLEAR_VIEW: View = 'large';
/** Every decoder must also read a plain picture this wide, with at least this many pixels per module. */
const PROOF_PIXELS = 300;
const PROOF_PIXELS_PER_MODULE = 4;
/**
 * That picture is drawn again, larger by this factor and so aligned to pixels differently: reading both
 * leaves a margin.
 */
const SECOND_PROOF = 1.17;
/**
 * Every decoder must also read a PDF this wide, rendered by another program, so that a look with a grade can
 * have every file.
 */
const PROOF_MM = 60;

/**
 * A look read in a few views too few may get its grade in another mask: between the masks, and between the scan links of
 * two codes, readings differ by two or three.
 */
const NEAR_MISS = 3;

/** `unclear`: a decoder missed a clear view, or the grade was missed narrowly, so that another mask may get one. */
export type Verdict = 'graded' | 'unclear' | 'poor';

/** Includes the full report when there is a grade. */
export interface Judgement {
  verdict: Verdict;
  scan?: ScanReport | undefined;
}

/** Keyed by everything the drawings depend on: a file is mostly requested right after its grade was shown. */
const judgements = new LRUCache<string, Judgement>({ max: 5_000 });

/** The drawing from which all views are made: larger than the largest of them. */
async function masterOf(drawing: CodeDrawing): Promise<Master> {
  const { size: modules } = drawing;
  const pixelsPerModule = Math.max(MASTER_PIXELS / modules, MASTER_PIXELS_PER_MODULE);
  const svg = svgOf(drawing, { px: Math.round(boxOf(drawing).width * pixelsPerModule) });
  const { data, info } = await sharp(Buffer.from(svg))
    .flatten({ background: groundOf(drawing) })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, modules, pixelsPerModule };
}

/** A transparent background is graded as the colour that was chosen for it. */
function groundOf({ look }: CodeDrawing): string {
  return look?.layers.find(({ part }) => part === 'ground')?.fill ?? PAPER;
}

/** All views: first the one that can decide alone, then the others from fastest to slowest. */
const BY_COST: View[] = [
  CLEAR_VIEW,
  ...(['small', 'jpeg', 'medium', 'page', 'dim', 'faded'] as const),
  ...(['blurred', 'turned', 'noisy', 'shadow', 'tilted'] as const),
];

/**
 * Runs three decoders on twelve views of a drawing, which takes 150 to 400 ms of CPU time for a scan link and
 * a second for 255 characters. Equal drawings get equal reports.
 */
export async function gradeDrawing(
  drawing: CodeDrawing,
  payload: string,
  logo?: Buffer,
): Promise<ScanReport> {
  const judgement = await lookAt(drawing, payload, { logo, isReported: true });
  judgements.set(keyOf(drawing, payload), judgement);
  return judgement.scan;
}

/** Like `gradeDrawing`, for a look, but stops as soon as it can get no grade. */
export async function judgeLook(drawing: CodeDrawing, payload: string, logo?: Buffer): Promise<Judgement> {
  const key = keyOf(drawing, payload);
  const known = judgements.get(key);
  if (known) return known;
  const { verdict, scan } = await lookAt(drawing, payload, { logo, isReported: false });
  const judgement = { verdict, scan: verdict === 'graded' ? scan : undefined };
  judgements.set(key, judgement);
  return judgement;
}

/** Stops early when a grade is out of reach, unless `isReported` requires all readings. */
async function lookAt(
  drawing: CodeDrawing,
  payload: string,
  { logo, isReported }: { logo: Buffer | undefined; isReported: boolean },
): Promise<{ verdict: Verdict; scan: ScanReport }> {
  const master = await masterOf(drawing);
  const of = VIEWS.length * DECODERS.length;
  const missedIn = new Map<View, Decoder[]>();
  let read = of;
  let isClear = true;
  let proofs: ScanReport['proofs'] = [];
  for (const view of BY_COST) {
    const decoders = await missedBy(await viewOf(view, master), payload);
    if (decoders.length > 0) missedIn.set(view, decoders);
    read -= decoders.length;
    if (view === CLEAR_VIEW && drawing.look) {
      isClear = decoders.length === 0;
      if (isClear || isReported) proofs = await readProofs(drawing, payload, { logo, isReported });
      isClear &&= proofs.every(({ missedBy }) => missedBy.length === 0);
    }
    if (!isReported && (!isClear || read < LEAST_READINGS.C - NEAR_MISS)) break;
  }
  const grade = isClear ? gradeOf(read) : null;
  const missed = VIEWS.flatMap((view) => {
    const decoders = missedIn.get(view);
    return decoders ? [{ view, decoders }] : [];
  });
  const verdict = grade ? 'graded' : read < LEAST_READINGS.C - NEAR_MISS ? 'poor' : 'unclear';
  return { verdict, scan: { grade, read, of, missed, proofs } };
}

/** Width in pixels of the picture in which every decoder must read a look. */
export function proofWidth(drawing: CodeDrawing): number {
  return Math.max(PROOF_PIXELS, boxOf(drawing).width * PROOF_PIXELS_PER_MODULE);
}

/** Stops at the first picture that a decoder misses, unless `isReported` requires all of them. */
async function readProofs(
  drawing: CodeDrawing,
  payload: string,
  { logo, isReported }: { logo: Buffer | undefined; isReported: boolean },
): Promise<ScanReport['proofs']> {
  const width = proofWidth(drawing);
  const svg = Buffer.from(svgOf(drawing, { px: width }));
  const pictures: Record<Proof, () => Promise<Pixels>> = {
    plain: () => svgPixels(svg, width, width),
    larger: () => svgPixels(svg, width, Math.round(SECOND_PROOF * width)),
    pdf: async () => pdfPixels(await pdfOf(drawing, PROOF_MM, { logo }), width),
  };
  const proofs: ScanReport['proofs'] = [];
  for (const proof of PROOFS) {
    const missed = await missedBy(await pictures[proof](), payload);
    proofs.push({ proof, missedBy: missed });
    if (missed.length > 0 && !isReported) break;
  }
  return proofs;
}

/** The decoders that do not read exactly the payload from a picture. */
async function missedBy(pixels: Pixels, payload: string): Promise<Decoder[]> {
  const texts = await readWithAll(pixels);
  return DECODERS.filter((decoder) => texts[decoder] !== payload);
}

function keyOf(drawing: CodeDrawing, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([payload, svgOf(drawing), groundOf(drawing)]))
    .digest('base64');
}
