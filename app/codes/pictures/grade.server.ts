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
import { pdfOf } from './code-pdf.server';
import { svgPixels } from './decode.server';
import { missedBy } from './decoders.server';
import { missedInFile, proofWidth } from './file-proof.server';
import { type Master, viewOf } from './views.server';

const MASTER_PIXELS = 640;
const MASTER_PIXELS_PER_MODULE = 6;

/** Every decoder must read a look in this view, whatever the other results. */
const CLEAR_VIEW: View = 'large';
/**
 * The plain picture is drawn again, larger by this factor and so aligned to pixels differently: reading both
 * leaves a margin.
 */
const SECOND_PROOF = 1.17;

/** Any width: the PDF of a look is the same picture in every size. */
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
  const proofs = drawing.look ? await readProofs(drawing, payload, { logo, isReported }) : [];
  let isClear = proofs.every(({ missedBy }) => missedBy.length === 0);
  const of = VIEWS.length * DECODERS.length;
  const missedIn = new Map<View, Decoder[]>();
  let read = of;
  let master: Master | undefined;
  // With much content, most drawings fail a proof, and their views would take most of the time.
  for (const view of isClear || isReported ? BY_COST : []) {
    master ??= await masterOf(drawing);
    const decoders = await missedBy(await viewOf(view, master), payload);
    if (decoders.length > 0) missedIn.set(view, decoders);
    read -= decoders.length;
    if (view === CLEAR_VIEW && drawing.look) isClear &&= decoders.length === 0;
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

/**
 * Reads the SVG and the PDF of a look as they are read before they are handed out, so that a look with a grade can have
 * every file. Stops at the first that a decoder misses, unless `isReported` requires all of them.
 */
async function readProofs(
  drawing: CodeDrawing,
  payload: string,
  { logo, isReported }: { logo: Buffer | undefined; isReported: boolean },
): Promise<ScanReport['proofs']> {
  const width = proofWidth(drawing);
  const svg = Buffer.from(svgOf(drawing, { px: width }));
  const missedIn: Record<Proof, () => Promise<Decoder[]>> = {
    plain: () => missedInFile({ bytes: svg, format: 'svg', size: width }, drawing, payload),
    larger: async () => missedBy(await svgPixels(svg, width, Math.round(SECOND_PROOF * width)), payload),
    pdf: async () => {
      const bytes = await pdfOf(drawing, PROOF_MM, { logo });
      return missedInFile({ bytes, format: 'pdf', size: PROOF_MM }, drawing, payload);
    },
  };
  const proofs: ScanReport['proofs'] = [];
  for (const proof of PROOFS) {
    const missed = await missedIn[proof]();
    proofs.push({ proof, missedBy: missed });
    if (missed.length > 0 && !isReported) break;
  }
  return proofs;
}

function keyOf(drawing: CodeDrawing, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([payload, svgOf(drawing), groundOf(drawing)]))
    .digest('base64');
}
