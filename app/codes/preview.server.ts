import { createHash } from 'node:crypto';
import { type CodeFields, payloadOf } from '#contract/contents';
import type { Asker } from '~/http/scope.server';
import type { Drawn } from './code-picture';
import { draftLogoPng, logoOrNull, presetPng } from './logo-bytes.server';
import { readBack } from './pictures/code-files.server';
import { CodeTooLongError, drawCode } from './pictures/code-image';

export interface LogoChoice {
  preset?: string | undefined;
  /** A draft whose uploaded logo is meant. */
  draft?: string | undefined;
  visitor: string;
}

/** What the page shows of a design: the drawing, and what an independent decoder read from it. */
export interface Preview {
  drawn: Drawn;
  readBack: string | null;
}

/** Draws and reads a design before it has an address; null when there is nothing to draw or it does not fit. */
export async function makePreview(
  asker: Asker,
  fields: CodeFields,
  useWhiteBackground: boolean,
  choice: LogoChoice,
): Promise<Preview | null> {
  const payload = payloadOf(fields);
  if (payload === '') return null;
  const wanted = logoPng(asker, choice);
  const logo = wanted && (await logoOrNull(wanted));
  const href = logo ? logoPath(choice, logo) : undefined;
  try {
    const { size, path, logo: placed } = drawCode(payload, { logoHref: href, useWhiteBackground });
    const read = await readBack(payload, { logo: logo ?? undefined, useWhiteBackground });
    const drawn = { size, path, logo: placed, ...(wanted && !logo && { logoFailed: true }) };
    return { drawn, readBack: read === payload ? read : null };
  } catch (thrown) {
    if (thrown instanceof CodeTooLongError) return null;
    throw thrown;
  }
}

/** Address of the logo's picture on this site; of a draft's it holds a hash, for another file may take its place. */
function logoPath({ preset, draft }: LogoChoice, png: Buffer): string | undefined {
  if (preset) return `/presets/${preset}`;
  const version = createHash('sha256').update(png).digest('hex').slice(0, 12);
  return draft ? `/drafts/${draft}/logo?v=${version}` : undefined;
}

function logoPng(asker: Asker, { preset, draft, visitor }: LogoChoice): Promise<Buffer | null> | null {
  if (preset) return presetPng(asker, preset);
  return draft ? draftLogoPng(asker, draft, visitor) : null;
}
