import { data } from '@remix-run/node';
import { FILE_WIDTHS } from '#contract/code-files';
import { utcDay } from '#contract/time';
import { nameOf } from '~/codes/code/codes.server';
import {
  codesOfPart,
  isSelectionPosted,
  partsOf,
  readFields,
  readPart,
  readSelection,
  readSort,
  SELECTION_LIMIT,
} from '~/codes/list/selection.server';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { type RequestArgs, readScope, type Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { readFileChoice } from './choice.server';
import { payloadFor } from './downloads.server';
import { largestOf, measureCodes } from './measures.server';
import { leastWidth } from './print-advice';
import { streamZip } from './zip.server';

const FIELDS = ['format', 'pixels', 'millimetres', 'size', 'variant', 'part', 'sort'];
const FIELD_OF_PROBLEM: Partial<Record<string, 'pixels' | 'millimetres'>> = {
  download_pixels: 'pixels',
  download_millimetres: 'millimetres',
};

export type ZipPage = Awaited<ReturnType<typeof loadZipPage>>['data'];

/** Data of the page with the options of a ZIP; status 400 for an invalid file choice in the query. */
export async function loadZipPage(args: RequestArgs) {
  markInvalidChoice(await readScope(args));
  const scope = await requireUser(args);
  const fields = await readFields(scope, FIELDS);
  const selection = await readSelection(scope, fields, { part: 1, size: SELECTION_LIMIT });
  const choice = fields.has('format') ? readFileChoice(fields) : null;
  const t = i18nOf(scope.locale).getFixedT(null, 'common');
  const problem =
    choice && 'notice' in choice
      ? {
          field: FIELD_OF_PROBLEM[choice.notice.key] ?? ('format' as const),
          text: t(`notices.${choice.notice.key}`, choice.notice.values ?? {}),
        }
      : null;
  const codes = selection.codes.filter((code) => code !== null);
  const tracked = await measureCodes(codes, (code) => payloadFor(code, 'tracked'));
  const direct = await measureCodes(codes, (code) => payloadFor(code, 'direct'));
  const entered = (name: string, usual: string) => String(fields.get(name) ?? '') || usual;
  return data(
    {
      count: selection.count,
      parts: partsOf(selection.count, SELECTION_LIMIT),
      most: SELECTION_LIMIT,
      hasNoGround: codes.some((code) => code.style?.transparentGround),
      leastMm: leastWidth(largestOf(tracked)),
      /** Names of the codes whose content fits no code. */
      tooLong: codes.filter((_, at) => direct[at] === null).map(nameOf),
      hasForm: selection.count > 0 || isSelectionPosted(scope),
      selection: selection.fields,
      method: selection.method,
      sort: readSort(fields),
      values: {
        format: entered('format', 'png'),
        pixels: entered('pixels', String(FILE_WIDTHS.png.usual)),
        millimetres: entered('millimetres', String(FILE_WIDTHS.pdf.usual)),
        variant: entered('variant', 'tracked'),
      },
      problem,
    },
    { status: problem ? 400 : 200 },
  );
}

/** The ZIP itself. For an invalid choice, redirects to the page, keeping the choices if they fit in a URL. */
export async function downloadZip(args: RequestArgs): Promise<Response> {
  const scope = await requireUser(args);
  const fields = await readFields(scope, FIELDS);
  const part = readPart(fields, SELECTION_LIMIT);
  const selection = await readSelection(scope, fields, part);
  const choice = readFileChoice(fields);
  const codes = codesOfPart(selection, part);
  if (codes.length === 0) {
    return redirectWithFlash('/user/qrcodes', { type: 'error', key: 'none_chosen' });
  }
  if ('notice' in choice) {
    if (!selection.address) return redirectWithFlash('/user/qrcodes', choice.notice);
    const requested = [...selection.address, ...FIELDS.map((name) => [name, String(fields.get(name) ?? '')])];
    return new Response(null, {
      status: 303,
      headers: { Location: `/user/qrcodes/zip?${new URLSearchParams(requested)}` },
    });
  }
  const body = streamZip(scope, codes, choice);
  const today = utcDay(new Date());
  const number = selection.count > SELECTION_LIMIT ? `-${part.part}` : '';
  return new Response(body, {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="qr-codes-${today}${number}.zip"`,
      'Cache-Control': 'private, no-store',
    },
  });
}

/**
 * Marks the request as failed, for a page title that starts with “Error”. Must run as soon as there is a scope,
 * because another loader makes the title at the same time.
 */
function markInvalidChoice(scope: Scope): void {
  const { searchParams } = scope.url;
  if (searchParams.has('format') && 'notice' in readFileChoice(searchParams)) {
    scope.failed = true;
  }
}
