import { contentLength, payloadOf } from '#contract/contents/contents';
import { verbatim } from '#contract/contents/text';
import { type Drawn, drawnOf } from '~/codes/code/picture';
import type { Findings } from '~/codes/look/scan-report';
import {
  type CaptionOutline,
  type CodeDrawing,
  CodeTooLongError,
  drawCode,
} from '~/codes/pictures/code-image';
import { textOf } from './control-value';
import { type DesignInput, readDesign } from './design-input';
import { logoAddress } from './logo-address';

/** The findings are the server's, and come after the drawing. */
export interface LivePreview extends Findings {
  drawn: Drawn | null;
  isTooLong: boolean;
}

/** The file chosen last, its object URL, and the draft in which the server keeps it to examine it. */
export interface Picked {
  current: { file: File; href: Promise<string>; draft?: string | undefined } | null;
}

export function releasePicked(picked: Picked): void {
  picked.current?.href.then((href) => URL.revokeObjectURL(href));
  picked.current = null;
}

/** An existing code: only its look and its logo come from the form. */
export interface FixedCode {
  payload: string;
  /** By id those of which the form's `shownOn` chooses one, with its own logo, shown if the form leaves logos as they are. */
  codes?: Record<string, { payload: string; logoPreset: string }>;
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
  if (payload === '') return { preview: { drawn: null, isTooLong: false }, design: null };
  const href = await logoHref(design, picked, logoVersion);
  try {
    const drawing = await drawDesign(payload, design, href, onArrival);
    return { preview: { drawn: drawnOf(drawing), isTooLong: false }, design };
  } catch (error) {
    if (!(error instanceof CodeTooLongError)) throw error;
    return { preview: { drawn: null, isTooLong: true }, design: null };
  }
}

function designOfCode(form: HTMLFormElement, { payload, codes = {} }: FixedCode): DesignInput {
  const shown = codes[textOf(form.elements.namedItem('shownOn'))] ?? { payload, logoPreset: 'none' };
  const design = readDesign(form, shown.logoPreset);
  return { ...design, fields: verbatim(shown.payload), draft: undefined, isPrinted: true };
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

/** Requests what the server finds in the design. A file chosen for it is sent once. */
export async function requestFindings(
  { fields, enteredStyle, file, preset, ...design }: DesignInput,
  picked: Picked,
  signal: AbortSignal,
): Promise<Findings> {
  const { useWhiteBackground, isPrinted } = design;
  const draft = file ? picked.current?.draft : design.draft;
  const json = JSON.stringify({
    fields: { ...fields, style: enteredStyle },
    useWhiteBackground,
    preset: file ? undefined : preset,
    draft,
    isPrinted,
  });
  const body = new FormData();
  body.set('design', json);
  if (file && !draft) body.set('logo', file);
  try {
    const response = await fetch('/create/receipt', { method: 'POST', body, signal });
    if (!response.ok) return {};
    const { draft: kept, ...findings } = (await response.json()) as Findings & { draft?: string };
    if (kept && picked.current?.file === file)
      picked.current = { ...picked.current, draft: kept } as Picked['current'];
    return findings;
  } catch {
    // Offline, or aborted by more input: nothing is said about the drawing.
    return {};
  }
}
