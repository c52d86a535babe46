import type { Code } from '#contract/codes';
import { payloadOf } from '#contract/contents';
import type { RequestContext } from '~/http/scope.server';
import { type Drawn, drawnOf } from './code-picture';
import { nameOf } from './codes.server';
import { draw } from './drawing-pool.server';
import type { FileChoice, Variant } from './file-choice.server';
import { codeLogoPng, logoOrNull, presetSvg } from './logo-bytes.server';
import { examineIfPossible } from './look/examination.server';
import type { Examination } from './look/scan-report';
import { drawCaptioned } from './pictures/caption.server';
import type { CodeFile, FileOrder } from './pictures/code-files.server';

/** The text in the image: the address that is counted, or the content itself. */
export function payloadFor(code: Code, variant: Variant): string {
  if (!isDirect(code, variant)) return code.scanLink;
  return code.type === 'wifi' ? code.content : payloadOf(code);
}

/** Whether a file of a code holds the content itself. */
export function isDirect(code: Code, variant: Variant): boolean {
  return !code.dynamic || variant === 'direct';
}

/** A file whose exact bytes were read back first; see `makeFile` and `draw` for what it throws. */
export async function makeDownload(
  requestContext: RequestContext,
  code: Code,
  token: string,
  choice: FileChoice,
): Promise<CodeFile> {
  return draw(requestContext, 'makeFile', await fileOrder(requestContext, code, token, choice));
}

/** What the drawing of a file needs. */
export async function fileOrder(
  requestContext: RequestContext,
  code: Code,
  token: string,
  { format, size, variant }: FileChoice,
): Promise<FileOrder> {
  return {
    payload: payloadFor(code, variant),
    format,
    size,
    logo: (await logoOf(requestContext, code, token)) ?? undefined,
    useWhiteBackground: code.useWhiteBackground,
    style: code.style,
    title: nameOf(code),
  };
}

/** The picture a page shows of a kept code, and what decoders made of it; undefined when none had the time. */
export async function showCode(
  requestContext: RequestContext,
  code: Code,
  token: string,
): Promise<{ drawn: Drawn; examination: Examination | undefined }> {
  const { drawn, logo } = await pictureOf(requestContext, code, token);
  const { useWhiteBackground, style } = code;
  const design = { payload: payloadFor(code, 'tracked'), logo, useWhiteBackground, style };
  return { drawn, examination: await examineIfPossible(requestContext, design) };
}

/** The picture alone. */
export async function drawKeptCode(
  requestContext: RequestContext,
  code: Code,
  token: string,
): Promise<Drawn> {
  return (await pictureOf(requestContext, code, token)).drawn;
}

async function pictureOf(requestContext: RequestContext, code: Code, token: string) {
  const logo = code.logo && (await logoOrNull(logoOf(requestContext, code, token)));
  const drawing = drawCaptioned(payloadFor(code, 'tracked'), {
    logoHref: logo ? logoHref(code) : undefined,
    useWhiteBackground: code.useWhiteBackground,
    style: code.style,
  });
  const drawn: Drawn = { ...drawnOf(drawing), ...(code.logo && !logo && { logoFailed: true }) };
  return { drawn, logo: logo ?? undefined };
}

/** Address of the picture of a code's logo on this site. */
export function logoHref(code: Code): string {
  return code.logo?.kind === 'preset' ? `/presets/${code.logo.name}` : `/user/qrcodes/${code.id}/logo`;
}

async function logoOf(requestContext: RequestContext, code: Code, token: string): Promise<Buffer | null> {
  if (!code.logo) return null;
  return code.logo.kind === 'preset'
    ? presetSvg(requestContext, code.logo.name)
    : codeLogoPng(requestContext, code.id, token);
}
