import { contentLength, payloadOf } from '#contract/contents/contents';
import { verbatim } from '#contract/contents/text';
import { type Drawn, drawnOf } from '~/codes/code/picture';
import type { Examination } from '~/codes/look/scan-report';
import {
  type CaptionOutline,
  type CodeDrawing,
  CodeTooLongError,
  drawCode,
} from '~/codes/pictures/code-image';
import { type DesignInput, readDesign } from './design-input';
import { logoAddress } from './logo-address';

export interface LivePreview {
  drawn: Drawn | null;
  /** The server's decoding results; undefined until they arrive. */
  examination: Examination | undefined;
  isTooLong: boolean;
}

/** The file chosen last, and its object URL. */
export interface Picked {
  current: { file: File; href: Promise<string> } | null;
}

export function releasePicked(picked: Picked): void {
  picked.current?.href.then((href) => URL.revokeObjectURL(href));
  picked.current = null;
}

/** An existing code: only its look and its logo come from the form. */
export interface FixedCode {
  payload: string;
}

interface Drawing {
  picked: Picked;
  /** Changes whenever the draft's logo may have changed. */
  logoVersion: number;
  code: FixedCode | undefined;
  /** Called when something has loaded that a new drawing would include. */
  onArrival: () => void;
}

/** Draws the form's current design; `design` is null if the server cannot examine it. */
export async function drawLive(
  form: HTMLFormElement,
  { picked, logoVersion, code, onArrival }: Drawing,
): Promise<{ preview: LivePreview; design: DesignInput | null }> {
  const design = code ? designOfCode(form, code) : readDesign(form);
  const payload = payloadOf(design.fields);
  const nothing = { drawn: null, examination: undefined };
  if (payload === '') return { preview: { ...nothing, isTooLong: false }, design: null };
  const href = await logoHref(design, picked, logoVersion);
  try {
    const drawing = await drawDesign(payload, design, href, onArrival);
    const preview = { drawn: drawnOf(drawing), examination: undefined, isTooLong: false };
    // A chosen file has not reached the server yet.
    return { preview, design: design.file ? null : design };
  } catch (error) {
    if (!(error instanceof CodeTooLongError)) throw error;
    return { preview: { ...nothing, isTooLong: true }, design: null };
  }
}

function designOfCode(form: HTMLFormElement, { payload }: FixedCode): DesignInput {
  return { ...readDesign(form), fields: verbatim(payload), draft: undefined, isPrinted: true };
}

let styled: typeof import('~/codes/pictures/styled-drawing') | undefined;

/**
 * The drawing code for looks is loaded with the first look and kept: importing it again would cost another turn of the
 * event loop, and another layout of the page, on every key.
 */
async function drawDesign(
  payload: string,
  { useWhiteBackground, style }: DesignInput,
  href: string | undefined,
  onArrival: () => void,
): Promise<CodeDrawing> {
  const options = { logoHref: href, useWhiteBackground };
  if (!style) return drawCode(payload, options);
  styled ??= await import('~/codes/pictures/styled-drawing');
  return styled.drawStyled(payload, { ...options, style, caption: outlineOf(style.caption, onArrival) });
}

const CAPTION_PAUSE_MS = 150;
/** Response status for a caption that cannot be drawn. */
const UNDRAWN = 422;

/** Keyed by caption; undefined for one that cannot be drawn. */
const outlines = new Map<string, CaptionOutline | undefined>();
let lastOutline: CaptionOutline | undefined;
let outlineTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * Outlines of a caption, which the server makes from its font. Until they arrive, those of the previous caption are
 * returned; `onArrival` is called when they do.
 */
export function outlineOf(caption: string, onArrival: () => void): CaptionOutline | undefined {
  clearTimeout(outlineTimer);
  if (caption === '') return undefined;
  if (outlines.has(caption)) {
    lastOutline = outlines.get(caption);
    return lastOutline;
  }
  outlineTimer = setTimeout(async () => {
    try {
      const response = await fetch(`/captions/outline?text=${encodeURIComponent(caption)}`);
      const isKnown = response.ok || response.status === UNDRAWN;
      if (!isKnown) return;
      outlines.set(caption, response.ok ? ((await response.json()) as CaptionOutline) : undefined);
      onArrival();
    } catch {
      // Offline: as with a busy server, the next change requests it again.
    }
  }, CAPTION_PAUSE_MS);
  return lastOutline;
}

/** Length of the content so far, counted as the limit counts it. */
export function lengthOf(form: HTMLFormElement): number {
  return contentLength(readDesign(form).fields);
}

async function logoHref({ file, preset, draft }: DesignInput, picked: Picked, version: number) {
  if (file) {
    if (picked.current?.file !== file) {
      releasePicked(picked);
      picked.current = { file, href: pictureOf(file).then((picture) => URL.createObjectURL(picture)) };
    }
    return picked.current?.href;
  }
  if (preset) return logoAddress(preset);
  // The last response may have stored another file under the same id.
  return draft ? `/drafts/${draft}/logo?v=${version}` : undefined;
}

/** The picture in a file by its bytes, as the host reads it: browsers draw an SVG only if its type says so. */
async function pictureOf(file: File): Promise<Blob> {
  const type = 'image/svg+xml';
  const start = new Uint8Array(await file.slice(0, 256).arrayBuffer());
  if (start[0] === 0x1f && start[1] === 0x8b) {
    const unpacked = file.stream().pipeThrough(new DecompressionStream('gzip'));
    // A damaged file is shown as it is: not at all.
    return new Response(unpacked, { headers: { 'Content-Type': type } }).blob().catch(() => file);
  }
  // In UTF-16, every other byte is zero.
  const isMarkup = /^[\s\ufeff\ufffd]*</.test(new TextDecoder().decode(start).replaceAll('\0', ''));
  // Other types are recognised whatever they are called.
  if (!isMarkup) return file.slice(0, file.size, 'image/png');
  return new Blob([(await withViewBox(file)) ?? file], { type });
}

/** An SVG that has a size but no view box, with one, since browsers would stretch it to a square; else undefined. */
async function withViewBox(file: File): Promise<string | undefined> {
  const svg = await file.text();
  const [tag = ''] = /<svg\b[^>]*/.exec(svg) ?? [];
  const sideOf = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([\\d.]+)(?:px)?["']`).exec(tag)?.[1];
  const [width, height] = [sideOf('width'), sideOf('height')];
  if (/\sviewBox\s*=/.test(tag) || !width || !height) return undefined;
  return svg.replace(tag, () => `${tag} viewBox="0 0 ${width} ${height}"`);
}

/** Requests the server's decoding results and grade for the design. */
export async function requestExamination(
  design: DesignInput,
  signal: AbortSignal,
): Promise<Examination | undefined> {
  const { enteredStyle, useWhiteBackground, preset, draft, isPrinted } = design;
  const fields = { ...design.fields, style: enteredStyle };
  try {
    const response = await fetch('/create/receipt', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ fields, useWhiteBackground, preset, draft, isPrinted }),
      signal,
    });
    return response.ok ? (((await response.json()) as Examination | null) ?? undefined) : undefined;
  } catch {
    // Offline, or aborted by more input: the receipt line simply stays empty.
    return undefined;
  }
}
