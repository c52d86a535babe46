import { z } from 'zod';
import type { Code } from '#contract/codes';
import { payloadOf } from '#contract/contents';
import type { RequestContext } from '~/http/scope.server';
import type { Drawn } from './code-picture';
import { nameOf } from './codes.server';
import { draw, readBackIfPossible } from './drawing-pool.server';
import { codeLogoPng, logoOrNull, presetSvg } from './logo-bytes.server';
import type { CodeFile } from './pictures/code-files.server';
import { drawCode } from './pictures/code-image';

const Order = z.discriminatedUnion('format', [
  z.object({ format: z.literal('png'), size: z.coerce.number().int().min(300).max(4096).default(1024) }),
  z.object({ format: z.literal('svg'), size: z.coerce.number().int().min(50).max(10_000).default(1024) }),
  z.object({ format: z.literal('pdf'), size: z.coerce.number().min(15).max(500).default(40) }),
]);

export type Variant = 'tracked' | 'direct';

/** What is ordered by `?format=png|svg|pdf&size=…&variant=tracked|direct`; pixels, for PDF millimetres; null when unclear. */
export function readOrder(url: URL, code: Code): (z.infer<typeof Order> & { variant: Variant }) | null {
  const { format, size } = Object.fromEntries(url.searchParams);
  const order = Order.safeParse({ format, ...(size && { size }) });
  const variant = url.searchParams.get('variant') ?? 'tracked';
  if (!order.success || (variant !== 'tracked' && variant !== 'direct')) return null;
  return { ...order.data, variant: code.dynamic ? variant : 'direct' };
}

/** The text in the image: the address that is counted, or the content itself. */
function payloadFor(code: Code, variant: Variant): string {
  if (code.dynamic && variant === 'tracked') return code.scanLink;
  return code.type === 'wifi' ? code.content : payloadOf(code);
}

/** A file whose exact bytes were read back first; see `makeFile` and `draw` for what it throws. */
export async function makeDownload(
  requestContext: RequestContext,
  code: Code,
  token: string,
  order: NonNullable<ReturnType<typeof readOrder>>,
): Promise<CodeFile & { name: string }> {
  const file = await draw(requestContext, 'makeFile', {
    payload: payloadFor(code, order.variant),
    format: order.format,
    size: order.size,
    logo: (await logoOf(requestContext, code, token)) ?? undefined,
    useWhiteBackground: code.useWhiteBackground,
    title: nameOf(code),
  });
  return { ...file, name: `${fileName(code)}.${file.extension}` };
}

/** The picture a page shows of a kept code, and what a decoder read from it; undefined when none had the time. */
export async function showCode(
  requestContext: RequestContext,
  code: Code,
  token: string,
): Promise<{ drawn: Drawn; readBack: string | null | undefined }> {
  const { drawn, logo } = await pictureOf(requestContext, code, token);
  const { useWhiteBackground } = code;
  const payload = payloadFor(code, 'tracked');
  const read = await readBackIfPossible(requestContext, { payload, logo, useWhiteBackground });
  return { drawn, readBack: read === payload || read === undefined ? read : null };
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
  const {
    size,
    path,
    logo: placed,
  } = drawCode(payloadFor(code, 'tracked'), {
    logoHref: logo ? logoHref(code) : undefined,
    useWhiteBackground: code.useWhiteBackground,
  });
  const drawn: Drawn = { size, path, logo: placed, ...(code.logo && !logo && { logoFailed: true }) };
  return { drawn, logo: logo ?? undefined };
}

function logoHref(code: Code): string {
  return code.logo?.kind === 'preset' ? `/presets/${code.logo.name}` : `/user/qrcodes/${code.id}/logo`;
}

async function logoOf(requestContext: RequestContext, code: Code, token: string): Promise<Buffer | null> {
  if (!code.logo) return null;
  return code.logo.kind === 'preset'
    ? presetSvg(requestContext, code.logo.name)
    : codeLogoPng(requestContext, code.id, token);
}

/** Plain letters and digits only, so that every system can save it. */
function fileName(code: Code): string {
  const plain = nameOf(code)
    .normalize('NFKD')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `qr-${plain.toLowerCase() || code.type}`;
}
