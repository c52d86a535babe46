import { contentLength, payloadOf } from '#contract/contents';
import { type Drawn, drawnOf } from './code-picture';
import { type DesignInput, readDesign } from './design-input';
import { type CodeDrawing, CodeTooLongError, drawCode } from './pictures/code-image';
import type { Examination } from './scan-report';

export interface LivePreview {
  drawn: Drawn | null;
  /** What decoders at the server made of it; undefined while that is not known. */
  examination: Examination | undefined;
  isTooLong: boolean;
}

/** The file chosen last, and its address in this page. */
export interface Picked {
  current: { file: File; href: string } | null;
}

/** What the form holds, drawn; `design` is what a decoder at the server may read, null where it could not. */
export async function drawLive(
  form: HTMLFormElement,
  picked: Picked,
  /** Another one whenever the draft may have got another logo. */
  logoVersion: number,
): Promise<{ preview: LivePreview; design: DesignInput | null }> {
  const design = readDesign(form);
  const payload = payloadOf(design.fields);
  const nothing = { drawn: null, examination: undefined };
  if (payload === '') return { preview: { ...nothing, isTooLong: false }, design: null };
  try {
    const drawing = await drawDesign(payload, design, logoHref(design, picked, logoVersion));
    const preview = { drawn: drawnOf(drawing), examination: undefined, isTooLong: false };
    // A file that was only chosen has not reached the server, so nobody there could read it.
    return { preview, design: design.file ? null : design };
  } catch (error) {
    if (!(error instanceof CodeTooLongError)) throw error;
    return { preview: { ...nothing, isTooLong: true }, design: null };
  }
}

/** Drawings in a look of their own are loaded by the first of them. */
async function drawDesign(
  payload: string,
  { useWhiteBackground, style }: DesignInput,
  href: string | undefined,
): Promise<CodeDrawing> {
  const options = { logoHref: href, useWhiteBackground };
  if (!style) return drawCode(payload, options);
  const { drawStyled } = await import('./pictures/styled-drawing');
  return drawStyled(payload, { ...options, style });
}

/** Characters of the content so far, as the limit counts them. */
export function lengthOf(form: HTMLFormElement): number {
  return contentLength(readDesign(form).fields);
}

function logoHref({ file, preset, draft }: DesignInput, picked: Picked, version: number): string | undefined {
  if (file) {
    if (picked.current?.file !== file) {
      if (picked.current) URL.revokeObjectURL(picked.current.href);
      picked.current = { file, href: URL.createObjectURL(file) };
    }
    return picked.current.href;
  }
  if (preset) return `/presets/${preset}`;
  // The last answer may have kept another file under the same id.
  return draft ? `/drafts/${draft}/logo?v=${version}` : undefined;
}

/** What decoders at the server make of the design. */
export async function askExamination(
  design: DesignInput,
  signal: AbortSignal,
): Promise<Examination | undefined> {
  const { typedStyle, useWhiteBackground, preset, draft } = design;
  const fields = { ...design.fields, style: typedStyle };
  try {
    const response = await fetch('/create/receipt', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ fields, useWhiteBackground, preset, draft }),
      signal,
    });
    return response.ok ? (((await response.json()) as Examination | null) ?? undefined) : undefined;
  } catch {
    // Offline or typing on: the receipt line simply stays empty.
    return undefined;
  }
}
