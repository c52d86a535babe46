import { Readable } from 'node:stream';
import { data } from '@remix-run/node';
import type { Code } from '#contract/codes';
import { isDefaultStyle } from '#contract/style-rules';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { i18nOf } from '~/i18n/messages.server';
import { nameOf } from './codes.server';
import { fileOrder } from './downloads.server';
import { draw, drawInBulk, wasDrawingKilled } from './drawing-pool.server';
import { workInOrder } from './in-order.server';
import { drawCaptioned } from './pictures/caption.server';
import { boxOf, CodeTooLongError } from './pictures/code-image';
import { printable } from './pictures/printable';
import type { SheetLabel } from './pictures/sheet-pdf.server';
import { PoorGradeError, UnreadableCodeError } from './pictures/unreadable-code';
import { readFields, readSelection, renewDeadline, type Selection } from './selection.server';
import {
  countParts,
  readSheetChoice,
  SHEET_FIELDS,
  SHEET_LIMIT,
  type SheetChoice,
} from './sheet-choice.server';

const NAMED = 5;
/** Codes of one selection mostly have one size: so many are looked at for it. */
const MEASURED = 24;

export type SheetPage = Awaited<ReturnType<typeof loadSheetPage>>['data'];

/** How a sheet of a selection is to look; status 400 where the address asks for what cannot be. */
export async function loadSheetPage(requestContext: RequestContext) {
  markInvalidChoice(requestContext);
  const { request } = requestContext;
  const { token } = await requireUser(request);
  const fields = await readFields(requestContext, [...SHEET_FIELDS]);
  const selection = await readSelection(requestContext, token, fields);
  const t = i18nOf(await getLocale(request)).getFixedT(null, 'files');
  const { values, problems } = readSheetChoice(fields, selection.count, t('sheet.usualAction'));
  const codes = await codesOfPart(requestContext, selection, 1);
  const unprintable = codes.map(nameOf).filter((name) => printable(name) === null);
  return data(
    {
      count: selection.count,
      parts: Array.from({ length: countParts(selection.count) }, (_, n) => ({
        from: n * SHEET_LIMIT + 1,
        to: Math.min((n + 1) * SHEET_LIMIT, selection.count),
      })),
      selection: selection.fields,
      method: selection.isShort ? ('get' as const) : ('post' as const),
      values,
      problems,
      /** Names that the font cannot draw: the first few, and how many there are. */
      unprintable: { names: unprintable.slice(0, NAMED), count: unprintable.length },
      largest: codes.slice(0, MEASURED).map(measure).reduce(larger, SMALLEST),
    },
    { status: problems.length > 0 ? 400 : 200 },
  );
}

/** The PDF itself. What cannot be printed leads back to the page, with all that was chosen where an address holds it. */
export async function downloadSheet(requestContext: RequestContext): Promise<Response> {
  const { request } = requestContext;
  const { token } = await requireUser(request);
  const fields = await readFields(requestContext, [...SHEET_FIELDS]);
  const selection = await readSelection(requestContext, token, fields);
  if (selection.count === 0) {
    return redirectWithFlash('/user/qrcodes', { type: 'error', key: 'none_chosen' });
  }
  const t = i18nOf(await getLocale(request)).getFixedT(null, 'files');
  const { values, choice, problems } = readSheetChoice(fields, selection.count, t('sheet.usualAction'));
  const back = selection.isShort
    ? `/user/qrcodes/sheet?${new URLSearchParams([...selection.fields, ...Object.entries(values)])}`
    : '/user/qrcodes';
  if (problems.length > 0) return new Response(null, { status: 303, headers: { Location: back } });
  const { layout, start, hasCutMarks, part } = choice;
  const codes = await codesOfPart(requestContext, selection, part);
  const labels: SheetLabel[] = [];
  for (const code of codes) {
    renewDeadline(requestContext);
    const { payload, logo, useWhiteBackground, style } = await fileOrder(requestContext, code, token, {
      ...{ format: 'pdf', size: 0, variant: 'tracked' },
    });
    labels.push({ payload, logo, useWhiteBackground, style, ...captionOf(code, choice) });
  }
  if (labels.length === 0) {
    return redirectWithFlash('/user/qrcodes', { type: 'error', key: 'none_chosen' });
  }
  try {
    await requireGrades(requestContext, labels);
    const title = t('sheet.fileTitle');
    const sheet = await draw(requestContext, 'makeSheet', { layout, labels, start, hasCutMarks, title });
    const number = selection.count > SHEET_LIMIT ? `-${part}` : '';
    return new Response(sheet.bytes, {
      headers: {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `attachment; filename="qr-sheet-${layout}${number}.pdf"`,
        'Content-Length': String(sheet.bytes.byteLength),
        'Cache-Control': 'private, no-store',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      },
    });
  } catch (thrown) {
    const key =
      thrown instanceof UnreadableCodeError || thrown instanceof CodeTooLongError
        ? 'sheet_unreadable'
        : thrown instanceof PoorGradeError
          ? 'sheet_grade'
          : wasDrawingKilled(thrown) && 'sheet_given_up';
    if (!key) throw thrown;
    return redirectWithFlash(back, { type: 'error', key, persistent: true });
  }
}

/** Each code by itself: all of a sheet would take the time of one drawing many times over. */
async function requireGrades(requestContext: RequestContext, labels: SheetLabel[]): Promise<void> {
  const styled = labels.filter(({ style }) => style && !isDefaultStyle(style));
  if (styled.length === 0) return;
  const drawing = await drawInBulk(requestContext);
  const look = (label: SheetLabel, place: number) => {
    renewDeadline(requestContext);
    return drawing.isHandedOut(place, label);
  };
  for await (const isHandedOut of workInOrder(Readable.from(styled), look, drawing.ahead)) {
    if (!isHandedOut) throw new PoorGradeError('read in too few views');
  }
}

/** Codes that were deleted meanwhile are left out. */
async function codesOfPart(
  requestContext: RequestContext,
  selection: Selection,
  part: number,
): Promise<Code[]> {
  const [from, to] = [(part - 1) * SHEET_LIMIT, part * SHEET_LIMIT];
  const codes: Code[] = [];
  let place = 0;
  for await (const code of selection.codes()) {
    renewDeadline(requestContext);
    if (code && place >= from) codes.push(code);
    place += 1;
    if (place === to) break;
  }
  return codes;
}

function captionOf(code: Code, { caption, action }: SheetChoice): { name: string; action: string } {
  const hasName = caption === 'name' || caption === 'both';
  const hasAction = caption === 'action' || caption === 'both';
  return { name: (hasName && printable(nameOf(code))) || '', action: hasAction ? action : '' };
}

/** A code in modules: its symbol with the quiet zone, its width with the frame, and its height to that width. */
interface Measures {
  size: number;
  across: number;
  ratio: number;
}

const SMALLEST: Measures = { size: 21 + 8, across: 21 + 8, ratio: 1 };

function measure(code: Code): Measures {
  const payload = code.dynamic ? code.scanLink : code.content;
  try {
    const drawing = drawCaptioned(payload, { logoHref: code.logo ? '' : undefined, style: code.style });
    const { width, height } = boxOf(drawing);
    return { size: drawing.size, across: width, ratio: height / width };
  } catch (thrown) {
    if (thrown instanceof CodeTooLongError) return SMALLEST;
    throw thrown;
  }
}

/** Of two codes the one with the smaller modules on a square label. */
function larger(one: Measures, other: Measures): Measures {
  return other.across * other.ratio > one.across * one.ratio ? other : one;
}

/** Before anything is waited for: the head of the page, which is made meanwhile, begins with the word for an error. */
function markInvalidChoice({ request, context }: RequestContext): void {
  const { searchParams } = new URL(request.url);
  if (readSheetChoice(searchParams, Number.POSITIVE_INFINITY, '').problems.length > 0) {
    scopeOf({ request, context }).failed = true;
  }
}
