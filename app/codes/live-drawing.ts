import { contentLength, payloadOf } from '#contract/contents';
import { type Drawn, drawnOf } from './code-picture';
import { type DesignInput, readDesign } from './design-input';
import type { Examination } from './look/scan-report';
import { type CodeDrawing, CodeTooLongError, drawCode } from './pictures/code-image';

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

/** A code that is there already: of the form, the look alone is its own. */
export interface FixedCode {
  payload: string;
  useWhiteBackground: boolean;
  logoHref: string | undefined;
  /** File of the preset that is its logo. */
  preset: string | undefined;
}

interface Drawing {
  picked: Picked;
  /** Another one whenever the draft may have got another logo. */
  logoVersion: number;
  code: FixedCode | undefined;
  /** Called when it could be drawn better since. */
  onArrival: () => void;
}

/** What the form holds, drawn; `design` is what a decoder at the server may read, null where it could not. */
export async function drawLive(
  form: HTMLFormElement,
  { picked, logoVersion, code, onArrival }: Drawing,
): Promise<{ preview: LivePreview; design: DesignInput | null }> {
  const design = code ? { ...readDesign(form), ...designOfCode(code) } : readDesign(form);
  const payload = payloadOf(design.fields);
  const nothing = { drawn: null, examination: undefined };
  if (payload === '') return { preview: { ...nothing, isTooLong: false }, design: null };
  const href = code ? code.logoHref : logoHref(design, picked, logoVersion);
  try {
    const drawing = await drawDesign(payload, design, href, onArrival);
    const preview = { drawn: drawnOf(drawing), examination: undefined, isTooLong: false };
    // A file that was only chosen has not reached the server, and the logo of a code is nobody else's.
    const isUnknown = design.file !== undefined || (code?.logoHref !== undefined && !code.preset);
    return { preview, design: isUnknown ? null : design };
  } catch (error) {
    if (!(error instanceof CodeTooLongError)) throw error;
    return { preview: { ...nothing, isTooLong: true }, design: null };
  }
}

function designOfCode({
  payload,
  useWhiteBackground,
  preset,
}: FixedCode): Omit<DesignInput, 'style' | 'typedStyle'> {
  const fields = { type: 'text' as const, content: payload };
  return { fields, useWhiteBackground, preset, file: undefined, draft: undefined };
}

const loadStyled = () => Promise.all([import('./pictures/styled-drawing'), import('./look/live-caption')]);
let styled: Awaited<ReturnType<typeof loadStyled>> | undefined;

/**
 * What draws looks is loaded by the first of them and kept: importing it again would take another turn of the event
 * loop on every key, and the page would be laid out once more.
 */
async function drawDesign(
  payload: string,
  { useWhiteBackground, style }: DesignInput,
  href: string | undefined,
  onArrival: () => void,
): Promise<CodeDrawing> {
  const options = { logoHref: href, useWhiteBackground };
  if (!style) return drawCode(payload, options);
  styled ??= await loadStyled();
  const [{ drawStyled }, { outlineOf }] = styled;
  return drawStyled(payload, { ...options, style, caption: outlineOf(style.caption, onArrival) });
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
