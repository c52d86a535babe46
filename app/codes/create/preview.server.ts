import { createHash } from 'node:crypto';
import { type CodeFields, checkContent, isDynamic, payloadOf } from '#contract/contents/contents';
import type { StyleFields } from '#contract/style-fields';
import type { Style } from '#contract/style-rules';
import { type Drawn, drawnOf } from '~/codes/code/picture';
import { opensOwnCode, SCAN_LINK_EXAMPLE } from '~/codes/contents/own-codes.server';
import { examineDesign } from '~/codes/look/examination.server';
import { checkLook } from '~/codes/look/look.server';
import type { Examination, Findings } from '~/codes/look/scan-report';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import type { Scope } from '~/http/scope.server';
import { errorText } from '~/i18n/messages.server';
import { logoAddress } from './logo-address';
import { draftLogoPng, logoOrNull, namedLogo } from './logo-bytes.server';

export interface LogoChoice {
  /** A preset, or one of the account's own logos. */
  preset?: string | undefined;
  /** The draft whose uploaded logo to use. */
  draft?: string | undefined;
}

/** Preview of a design: the drawing and what is found in it. */
export interface Preview extends Findings {
  drawn: Drawn;
}

type ExaminedPreview = Preview & { examination: Examination };

type Design = CodeFields & {
  useWhiteBackground: boolean;
  style?: Style | null | undefined;
  /** True for an existing code, whose final payload is this content. */
  isPrinted?: boolean | undefined;
};

/**
 * Draws and grades a design that has no scan link yet; null if there is nothing to draw or it does not fit.
 */
export async function makePreview(
  scope: Scope,
  design: Design,
  choice: LogoChoice,
): Promise<ExaminedPreview | null> {
  return orNullIfTooLong(design, async (payload) => {
    const { wanted, logo } = await logoOf(scope, choice);
    const drawn = drawPicture(design, choice, { wanted, logo });
    return { drawn, examination: await examineLogoDesign(scope, design, payload, logo) };
  });
}

/** The drawing without the decoders' results. */
export async function drawPreview(scope: Scope, design: Design, choice: LogoChoice): Promise<Drawn | null> {
  return orNullIfTooLong(design, async () => drawPicture(design, choice, await logoOf(scope, choice)));
}

/** Why a design cannot become a code, as far as that can be told without the host; undefined if it can. */
export function problemOf(
  scope: Scope,
  { isPrinted, ...fields }: CodeFields & Pick<Design, 'isPrinted'>,
  look: StyleFields = {},
): string | undefined {
  const problems = isPrinted ? [] : checkContent(fields, opensOwnCode);
  const [problem] = [...problems, ...checkLook(look)];
  return problem && problemText(scope, problem.code);
}

export function problemText({ locale }: Scope, code: string): string | undefined {
  return errorText(locale, ['design'], code) ?? undefined;
}

/** The decoders' results without the drawing; null without the logo, which would change them. */
export async function examinePreview(
  scope: Scope,
  design: Design,
  choice: LogoChoice,
): Promise<Examination | null> {
  return orNullIfTooLong(design, async (payload) => {
    const { wanted, logo } = await logoOf(scope, choice);
    return wanted && !logo ? null : examineLogoDesign(scope, design, payload, logo);
  });
}

async function orNullIfTooLong<T>(design: Design, act: (payload: string) => Promise<T>): Promise<T | null> {
  const payload = payloadOf(design);
  if (payload === '') return null;
  try {
    return await act(payload);
  } catch (thrown) {
    if (thrown instanceof CodeTooLongError) return null;
    throw thrown;
  }
}

function drawPicture(
  design: Design,
  choice: LogoChoice,
  { wanted, logo }: Awaited<ReturnType<typeof logoOf>>,
): Drawn {
  const drawing = drawCaptioned(payloadOf(design), {
    logoHref: logo ? logoPath(choice, logo) : undefined,
    useWhiteBackground: design.useWhiteBackground,
    style: design.style,
  });
  return { ...drawnOf(drawing), ...(wanted && !logo && { logoFailed: true }) };
}

/**
 * Grades what the files will contain: a scan link, of which only the length is known yet, unless the image holds
 * the content.
 */
function examineLogoDesign(
  scope: Scope,
  { type, useWhiteBackground, style, isPrinted }: Design,
  shown: string,
  logo: Buffer | undefined,
): Promise<Examination> {
  const payload = isPrinted || !isDynamic(type) ? shown : SCAN_LINK_EXAMPLE;
  const design = { payload, logo, useWhiteBackground, style };
  return examineDesign(scope, design, shown);
}

async function logoOf(scope: Scope, choice: LogoChoice) {
  const found = logoBytes(scope, choice);
  return { wanted: found !== null, logo: (found && (await logoOrNull(found))) ?? undefined };
}

/** Path of the logo's picture on this site; a draft's includes a hash, because its file may be replaced. */
function logoPath({ preset, draft }: LogoChoice, bytes: Buffer): string | undefined {
  if (preset) return logoAddress(preset);
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return draft ? `/drafts/${draft}/logo?v=${version}` : undefined;
}

function logoBytes(scope: Scope, { preset, draft }: LogoChoice): Promise<Buffer | null> | null {
  if (preset) return namedLogo(scope, preset);
  return draft ? draftLogoPng(scope, draft) : null;
}
