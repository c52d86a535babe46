import type { Code } from '#contract/codes';
import { storedPayload } from '#contract/contents/contents';
import { getCode, nameOf } from '~/codes/code/codes.server';
import { type Drawn, drawnOf } from '~/codes/code/picture';
import { codeLogoPng, logoOrNull, presetSvg } from '~/codes/create/logo-bytes.server';
import { examineIfPossible } from '~/codes/look/examination.server';
import type { Examination } from '~/codes/look/scan-report';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import type { CodeFile, FileOrder } from '~/codes/pictures/code-files.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import { draw, wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { redirectWithFlash } from '~/http/flash.server';
import type { UserScope } from '~/http/scope.server';
import { type FileChoice, pageOfChoice, readFileChoice, type Variant } from './choice.server';
import { measureCode } from './measures.server';
import { fileNameOf, type NamedFile } from './name.server';
import { leastWidth } from './print-advice';

/** The payload of the image: the tracked link, or the content itself. */
export function payloadFor(code: Code, variant: Variant): string {
  if (!isDirect(code, variant)) return code.scanLink;
  return storedPayload(code);
}

/** Whether a code's file contains the content itself. */
function isDirect(code: Code, variant: Variant): boolean {
  return !code.dynamic || variant === 'direct';
}

/** Makes a file and reads its exact bytes back; see `makeFile` and `draw` for what it throws. */
export async function makeDownload(scope: UserScope, code: Code, choice: FileChoice): Promise<CodeFile> {
  return draw(scope, 'makeFile', await fileOrder(scope, code, choice));
}

/** Key of the notice that says why there is no file; null for an unexpected error. */
export function fileNoticeOf(thrown: unknown) {
  if (thrown instanceof UnreadableCodeError) return 'download_unreadable';
  if (thrown instanceof PoorGradeError) return 'download_grade';
  if (thrown instanceof CaptionError) return 'download_caption';
  if (thrown instanceof CodeTooLongError) return 'download_too_long';
  if (thrown instanceof RangeError) return 'download_size';
  return wasDrawingKilled(thrown) ? 'download_given_up' : null;
}

/** Input for `makeFile`. Throws UnreadableCodeError if the logo is missing: no file is made without it. */
export async function fileOrder(
  scope: UserScope,
  code: Code,
  { format, size, variant }: FileChoice,
  requested = logoOf(scope, code),
): Promise<FileOrder> {
  const logo = await requested;
  if (code.logo && !logo) throw new UnreadableCodeError('the logo is missing');
  return {
    payload: payloadFor(code, variant),
    format,
    size,
    logo: logo ?? undefined,
    useWhiteBackground: code.useWhiteBackground,
    style: code.style,
    title: titleOf(code, variant),
  };
}

/** Title of a file, which everyone who has it sees: never the content of a private code. */
function titleOf(code: Code, variant: Variant): string {
  if (code.name !== null) return code.name;
  const hasContent = code.visibility === 'public' && isDirect(code, variant);
  return hasContent ? nameOf(code) : shortAddress(code);
}

function shortAddress({ link }: Code): string {
  return link.replace(/^https?:\/\//i, '');
}

/** What a file is named after: content only if the code is public. */
export function namedFile(code: Code, { format, size, variant }: FileChoice): NamedFile {
  const name = code.visibility === 'public' ? nameOf(code) : titleOf(code, variant);
  return { name, isDirect: isDirect(code, variant), format, size };
}

/**
 * A saved code's picture, with the decoders' results unless the pool was too busy, and the least width of a printed file
 * with the content itself; null if that fits no code.
 */
export async function previewCode(
  scope: UserScope,
  code: Code,
): Promise<{ drawn: Drawn; examination: Examination | undefined; directLeastMm: number | null }> {
  const { drawn, design } = await pictureOf(scope, code);
  const direct = measureCode(code, payloadFor(code, 'direct'));
  return {
    drawn,
    examination: await examineIfPossible(scope, design),
    directLeastMm: direct && leastWidth(direct),
  };
}

/** A saved code's picture without the decoders' results. */
export async function drawSavedCode(scope: UserScope, code: Code): Promise<Drawn> {
  return (await pictureOf(scope, code)).drawn;
}

async function pictureOf(scope: UserScope, code: Code) {
  const logo = code.logo && (await logoOrNull(logoOf(scope, code)));
  const payload = payloadFor(code, 'tracked');
  const { useWhiteBackground, style } = code;
  const drawing = drawCaptioned(payload, {
    logoHref: logo ? logoHref(code) : undefined,
    useWhiteBackground,
    style,
  });
  const drawn: Drawn = { ...drawnOf(drawing), ...(code.logo && !logo && { logoFailed: true }) };
  return { drawn, design: { payload, logo: logo ?? undefined, useWhiteBackground, style } };
}

/** Path of a code's logo image on this site; another one for every logo, as browsers keep it. */
function logoHref({ id, logo }: Code): string {
  if (logo?.kind === 'preset') return `/presets/${logo.name}`;
  return `/user/qrcodes/${id}/logo?version=${logo?.id}`;
}

/** The picture of its logo; null if it has none or it is missing. */
export async function logoOf(scope: UserScope, code: Code): Promise<Buffer | null> {
  if (!code.logo) return null;
  return code.logo.kind === 'preset' ? presetSvg(scope, code.logo.name) : codeLogoPng(scope, code.id);
}

/**
 * Makes the requested file and returns what the decoders read from it, without the file. Throws a redirect to the
 * code's page if there can be no such file.
 */
export async function checkFile(scope: UserScope, id: string | undefined) {
  const { code } = await getCode(scope, id);
  const back = `/user/qrcodes/${code.id}`;
  const choice = readFileChoice(scope.url.searchParams);
  const refused = pageOfChoice(code.id, scope.url);
  if ('notice' in choice) throw await redirectWithFlash(refused, choice.notice);
  try {
    const { bytes, receipt } = await makeDownload(scope, code, choice);
    const { format, size, variant } = choice;
    return {
      back,
      format,
      size,
      variant,
      fileName: fileNameOf(namedFile(code, choice)),
      bytes: bytes.byteLength,
      minPrintMm: receipt.minPrintMm,
      readBack: receipt.readBack,
      readBy: receipt.readBy,
      readOn: receipt.readOn,
      scan: receipt.scan,
    };
  } catch (thrown) {
    const key = fileNoticeOf(thrown);
    if (!key) throw thrown;
    throw await redirectWithFlash(refused, { type: 'error', key, persistent: true });
  }
}
