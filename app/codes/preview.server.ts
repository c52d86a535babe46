import { createHash } from 'node:crypto';
import { type CodeFields, payloadOf } from '#contract/contents';
import type { Style } from '#contract/style-rules';
import type { RequestContext } from '~/http/scope.server';
import { type Drawn, drawnOf } from './code-picture';
import { draftLogoPng, logoOrNull, presetSvg } from './logo-bytes.server';
import { examineDesign } from './look/examination.server';
import type { Examination } from './look/scan-report';
import { drawCaptioned } from './pictures/caption.server';
import { CodeTooLongError } from './pictures/code-image';

export interface LogoChoice {
  preset?: string | undefined;
  /** A draft whose uploaded logo is meant. */
  draft?: string | undefined;
  visitor: string;
}

/** What the page shows of a design: the drawing, and what decoders made of it. */
export interface Preview {
  drawn: Drawn;
  examination: Examination;
}

type Design = CodeFields & { useWhiteBackground: boolean; style?: Style | null | undefined };

/** Draws and reads a design before it has an address; null when there is nothing to draw or it does not fit. */
export async function makePreview(
  requestContext: RequestContext,
  design: Design,
  choice: LogoChoice,
): Promise<Preview | null> {
  return orNullIfTooLong(design, async (payload) => {
    const { wanted, logo } = await logoOf(requestContext, choice);
    const drawn = drawPicture(design, choice, { wanted, logo });
    return { drawn, examination: await examineLogoDesign(requestContext, design, payload, logo) };
  });
}

/** The drawing alone. */
export async function drawPreview(
  requestContext: RequestContext,
  design: Design,
  choice: LogoChoice,
): Promise<Drawn | null> {
  return orNullIfTooLong(design, async () =>
    drawPicture(design, choice, await logoOf(requestContext, choice)),
  );
}

/** What decoders make of it, without the drawing. */
export async function examinePreview(
  requestContext: RequestContext,
  design: Design,
  choice: LogoChoice,
): Promise<Examination | null> {
  return orNullIfTooLong(design, async (payload) => {
    const { logo } = await logoOf(requestContext, choice);
    return examineLogoDesign(requestContext, design, payload, logo);
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

function examineLogoDesign(
  requestContext: RequestContext,
  { useWhiteBackground, style }: Design,
  payload: string,
  logo: Buffer | undefined,
): Promise<Examination> {
  return examineDesign(requestContext, { payload, logo, useWhiteBackground, style });
}

async function logoOf(requestContext: RequestContext, choice: LogoChoice) {
  const found = logoBytes(requestContext, choice);
  return { wanted: found !== null, logo: (found && (await logoOrNull(found))) ?? undefined };
}

/** Address of the logo's picture on this site; of a draft's it holds a hash, for another file may take its place. */
function logoPath({ preset, draft }: LogoChoice, bytes: Buffer): string | undefined {
  if (preset) return `/presets/${preset}`;
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return draft ? `/drafts/${draft}/logo?v=${version}` : undefined;
}

function logoBytes(
  requestContext: RequestContext,
  { preset, draft, visitor }: LogoChoice,
): Promise<Buffer | null> | null {
  if (preset) return presetSvg(requestContext, preset);
  return draft ? draftLogoPng(requestContext, draft, visitor) : null;
}
