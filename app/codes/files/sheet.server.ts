import { data } from '@remix-run/node';
import type { Code } from '#contract/codes';
import { isDefaultStyle } from '#contract/style-rules';
import { nameOf } from '~/codes/code/codes.server';
import {
  codesOfPart,
  isSelectionPosted,
  listedFields,
  partsOf,
  readFields,
  readPart,
  readSelection,
  readSort,
  renewDeadline,
  SELECTION_LIMIT,
} from '~/codes/list/selection.server';
import type { SymbolOptions } from '~/codes/pictures/code-files.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import {
  draw,
  drawInBulk,
  mapInOrder,
  orNotDrawn,
  wasDrawingKilled,
  withPlace,
} from '~/codes/pictures/drawing-pool.server';
import type { SheetLabel } from '~/codes/pictures/sheet-pdf.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { type RequestArgs, readScope, type Scope, type UserScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { losesEmoji, printable } from '~/i18n/printable.server';
import { bulkOrders } from './bulk-orders.server';
import { payloadFor } from './downloads.server';
import { largestOf, type Measures, measureCodes } from './measures.server';
import { readSheetChoice, SHEET_FIELDS, SHEET_LIMIT, type SheetChoice } from './sheet-choice.server';

/** How many logos are requested at once. */
const ORDERS_AT_ONCE = 4;
/** Time for all decoders to read a code with its own look on its label, with some margin. */
const LOOK_MS = 60;

type Label = Omit<SheetLabel, 'symbol'>;

export type SheetPage = Awaited<ReturnType<typeof loadSheetPage>>['data'];

/** Data of the page with the options of a sheet; status 400 for invalid ones in the query. */
export async function loadSheetPage(args: RequestArgs) {
  markInvalidChoice(await readScope(args));
  const scope = await requireUser(args);
  const fields = await readFields(scope, [...SHEET_FIELDS]);
  const part = readPart(fields, SHEET_LIMIT);
  const selection = await readSelection(scope, fields, part);
  const t = i18nOf(scope.locale).getFixedT(null, 'files');
  const { values, choice, problems } = readSheetChoice(fields, selection.count, t('sheet.usualAction'));
  const codes = selection.codes.filter((code) => code !== null);
  const measures = await measureCodes(codes, (code) => payloadFor(code, 'tracked'));
  const sort = readSort(fields);
  const parts = partsOf(selection.count, SHEET_LIMIT);
  const isBeyondList = selection.count > SELECTION_LIMIT;
  const isListed = parts.length > 1 && selection.isFiltered && !isBeyondList;
  const changed = await changedTexts(scope, codes, measures, { choice, action: values.action });
  return data(
    {
      count: selection.count,
      hasForm: selection.count > 0 || isSelectionPosted(scope),
      parts,
      most: SHEET_LIMIT,
      /** Whether the parts follow the list as it changes, because it is too long to be sent along. */
      isBeyondList,
      selection: isListed ? [...selection.fields, ...listedFields(codes, sort)] : selection.fields,
      method: isListed ? ('post' as const) : selection.method,
      values,
      sort,
      problems,
      /** Names that the font cannot draw. */
      unprintable: codes.map(nameOf).filter((name) => printable(name) === null),
      /** The codes whose texts were looked at, if not all. */
      part: isBeyondList ? (parts[part.part - 1] ?? null) : null,
      changed,
      largest: largestOf(measures),
    },
    { status: problems.length > 0 ? 400 : 200 },
  );
}

/** The PDF itself. If it cannot be made, redirects to the page, keeping the choices if they fit in a URL. */
export async function downloadSheet(args: RequestArgs): Promise<Response> {
  const scope = await requireUser(args);
  const fields = await readFields(scope, [...SHEET_FIELDS]);
  const part = readPart(fields, SHEET_LIMIT);
  const selection = await readSelection(scope, fields, part);
  if (selection.count === 0) {
    return redirectWithFlash('/user/qrcodes', { type: 'error', key: 'none_chosen' });
  }
  const t = i18nOf(scope.locale).getFixedT(null, 'files');
  const { values, choice, problems } = readSheetChoice(fields, selection.count, t('sheet.usualAction'));
  const back = selection.address
    ? `/user/qrcodes/sheet?${new URLSearchParams([...selection.address, ...Object.entries(values), ['sort', readSort(fields)]])}`
    : '/user/qrcodes';
  if (problems.length > 0) return new Response(null, { status: 303, headers: { Location: back } });
  const codes = codesOfPart(selection, part).filter((code) => code !== null);
  if (codes.length === 0) {
    return redirectWithFlash('/user/qrcodes', { type: 'error', key: 'none_chosen' });
  }
  try {
    const sheet = await withPlace(scope, () => drawSheet(scope, codes, choice, t('sheet.fileTitle')));
    const number = selection.count > SHEET_LIMIT ? `-${part.part}` : '';
    return new Response(sheet.bytes, {
      headers: {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `attachment; filename="qr-sheet-${choice.layout}${number}.pdf"`,
        'Content-Length': String(sheet.bytes.byteLength),
        'Cache-Control': 'private, no-store',
        'Content-Security-Policy': "default-src 'none'; sandbox",
      },
    });
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (!problem) throw thrown;
    return redirectWithFlash(back, { type: 'error', persistent: true, ...problem });
  }
}

/** Collects the logos of a sheet and draws it. Throws UngradedCodeError, and what `draw` throws. */
async function drawSheet(scope: UserScope, codes: Code[], choice: SheetChoice, title: string) {
  const orderOf = bulkOrders(scope, SHEET_LIMIT);
  const labelOf = async (code: Code): Promise<[Label, Code]> => {
    const order = await orderOf(code, { format: 'pdf', size: 0, variant: 'tracked' });
    const { payload, logo, useWhiteBackground, style } = order;
    return [{ payload, logo, useWhiteBackground, style, ...captionOf(code, choice) }, code];
  };
  const labels = new Map<Label, Code>();
  for await (const [label, code] of mapInOrder(codes, labelOf, () => ORDERS_AT_ONCE)) labels.set(label, code);
  const symbols = await chooseSymbols(scope, labels);
  const { layout, start, hasCutMarks } = choice;
  const order = {
    layout,
    start,
    hasCutMarks,
    title,
    labels: Array.from(labels.keys(), (label) => ({ ...label, symbol: symbols.get(label) ?? {} })),
  };
  return draw(scope, 'makeSheet', order, symbols.size * LOOK_MS);
}

/** The notice for a sheet that could not be made; null for an unexpected error. */
function problemOf(thrown: unknown) {
  if (thrown instanceof UngradedCodeError) {
    return { key: 'sheet_grade_of', values: { name: nameOf(thrown.of) } } as const;
  }
  if (thrown instanceof CodeTooLongError) return { key: 'sheet_too_long' } as const;
  if (thrown instanceof UnreadableCodeError) return { key: 'sheet_unreadable' } as const;
  if (thrown instanceof PoorGradeError) return { key: 'sheet_grade' } as const;
  if (thrown instanceof CaptionError) return { key: 'sheet_caption' } as const;
  return wasDrawingKilled(thrown) ? ({ key: 'sheet_given_up' } as const) : null;
}

/** Thrown for a code that has a look without a grade. */
class UngradedCodeError extends Error {
  constructor(readonly of: Code) {
    super('read in too few views');
  }
}

/**
 * Chooses how each code with its own look is drawn, in a task per code, because a whole sheet would far exceed the time
 * limit of one drawing. Throws UngradedCodeError.
 */
async function chooseSymbols(scope: Scope, labels: Map<Label, Code>) {
  const chosen = new Map<Label, SymbolOptions>();
  const styled = [...labels].filter(([{ style }]) => style && !isDefaultStyle(style));
  if (styled.length === 0) return chosen;
  const drawing = await drawInBulk(scope);
  const choose = async ([label, code]: [Label, Code], index: number) => {
    renewDeadline(scope);
    return { label, code, symbol: await drawing.chooseSymbol(index, label) };
  };
  for await (const { label, code, symbol } of mapInOrder(styled, choose, drawing.concurrency)) {
    if (!symbol) throw new UngradedCodeError(code);
    chosen.set(label, symbol);
  }
  return chosen;
}

function captionOf(code: Code, { caption, action }: SheetChoice): { name: string; action: string } {
  const hasName = caption === 'name' || caption === 'both';
  const hasAction = caption === 'action' || caption === 'both';
  return { name: (hasName && printable(nameOf(code))) || '', action: hasAction ? action : '' };
}

/** What of the texts beside these codes is printed otherwise than it is written. */
async function changedTexts(
  scope: UserScope,
  codes: Code[],
  measures: (Measures | null)[],
  { choice, action }: { choice: SheetChoice; action: string },
) {
  const texts = codes.map((code) => captionOf(code, choice));
  const namesOf = (isMeant: (at: number) => boolean) => codes.filter((_, at) => isMeant(at)).map(nameOf);
  const labels = texts.map((text, at) => ({ ...text, ratio: measures[at]?.ratio ?? 1 }));
  const cut =
    choice.caption === 'none' || codes.length === 0
      ? { names: [], hasAction: false }
      : (await orNotDrawn(draw(scope, 'findCutTexts', { layout: choice.layout, labels }))).made;
  return {
    withoutEmoji: namesOf((at) => texts[at]?.name !== '').filter(losesEmoji),
    /** The call to action as it is printed, if that is without some of its emoji. */
    action: texts[0]?.action && losesEmoji(action) ? texts[0].action : '',
    /** Null if that could not be found out. */
    cut: cut && { names: namesOf((at) => cut.names.includes(at)), hasAction: cut.hasAction },
  };
}

/**
 * Marks the request as failed, for a page title that starts with “Error”. Must run as soon as there is a scope,
 * because another loader makes the title at the same time.
 */
function markInvalidChoice(scope: Scope): void {
  const { searchParams } = scope.url;
  if (readSheetChoice(searchParams, Number.POSITIVE_INFINITY, '').problems.length > 0) {
    scope.failed = true;
  }
}
