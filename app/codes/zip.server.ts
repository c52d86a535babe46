import { makeZip } from 'client-zip';
import type { Code } from '#contract/codes';
import { TaskKilled } from '#processes/pool-errors';
import { passBody } from '~/http/pass-body.server';
import type { RequestContext } from '~/http/scope.server';
import type { Locale } from '~/i18n/locales';
import { i18nOf } from '~/i18n/messages.server';
import { nameOf } from './codes.server';
import { type ListedFile, writeCodesCsv } from './codes-csv.server';
import { fileOrder, isDirect } from './downloads.server';
import { type BulkDrawing, drawInBulk } from './drawing-pool.server';
import type { FileChoice } from './file-choice.server';
import { type NamedFile, uniqueFileNames } from './file-name.server';
import { workInOrder } from './in-order.server';
import { CodeTooLongError } from './pictures/code-image';
import { PoorGradeError, UnreadableCodeError } from './pictures/unreadable-code';
import { renewDeadline, type Selection } from './selection.server';

type Problem = 'unreadable' | 'grade' | 'size' | 'gone' | 'given_up';
type Made = { code: Code; bytes: Uint8Array } | { code: Code | null; problem: Problem };

/**
 * A ZIP of a file for each code, drawn while it is taken, and `codes.csv`, which says what lies in each and why one is
 * not there. Held in memory are the few files that are being drawn; whoever leaves stops the work.
 */
export function streamZip(
  requestContext: RequestContext,
  token: string,
  selection: Selection,
  choice: FileChoice,
  locale: Locale,
): ReadableStream<Uint8Array> {
  const { request } = requestContext;
  const entries = zipEntries(requestContext, token, selection, choice, locale);
  // The library ends what it reads from by throwing into it: here that is no failure.
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => entries.next(),
      throw: () => entries.return(undefined),
    }),
  };
  return passBody(request, makeZip(source), request.signal, () => undefined);
}

async function* zipEntries(
  requestContext: RequestContext,
  token: string,
  selection: Selection,
  choice: FileChoice,
  locale: Locale,
) {
  const t = i18nOf(locale).getFixedT(null, 'files');
  const fileName = uniqueFileNames();
  const listed: ListedFile[] = [];
  const lastModified = new Date();
  const drawing = await drawInBulk(requestContext);
  const draw = (code: Code | null, place: number) =>
    drawEntry({ requestContext, token, drawing }, code, choice, place);
  for await (const made of workInOrder(selection.codes(), draw, drawing.ahead)) {
    if ('problem' in made) {
      listed.push({ code: made.code, file: '', problem: t(`zip.problems.${made.problem}`) });
      continue;
    }
    const file = fileName(namedFile(made.code, choice));
    listed.push({ code: made.code, file, problem: '' });
    yield { name: file, input: made.bytes, lastModified };
  }
  yield { name: 'codes.csv', input: writeCodesCsv(listed), lastModified };
}

async function drawEntry(
  { requestContext, token, drawing }: { requestContext: RequestContext; token: string; drawing: BulkDrawing },
  code: Code | null,
  choice: FileChoice,
  place: number,
): Promise<Made> {
  if (!code) return { code, problem: 'gone' };
  try {
    renewDeadline(requestContext);
    const order = await fileOrder(requestContext, code, token, choice);
    const { bytes } = await drawing.makeFile(place, order);
    return { code, bytes };
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (!problem) throw thrown;
    return { code, problem };
  }
}

function problemOf(thrown: unknown): Problem | null {
  if (thrown instanceof UnreadableCodeError) return 'unreadable';
  if (thrown instanceof PoorGradeError) return 'grade';
  if (thrown instanceof CodeTooLongError || thrown instanceof RangeError) return 'size';
  return thrown instanceof TaskKilled ? 'given_up' : null;
}

function namedFile(code: Code, { format, size, variant }: FileChoice): NamedFile {
  return { name: nameOf(code), isDirect: isDirect(code, variant), format, size };
}
