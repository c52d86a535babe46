import { makeZip } from 'client-zip';
import { stringify } from 'csv-stringify/sync';
import type { Code } from '#contract/codes';
import { CSV_FORMAT } from '#contract/exports';
import { PoolRefusal, TaskKilled } from '#runtime/processes/pool-errors';
import { nameOf } from '~/codes/code/codes.server';
import type { Selection } from '~/codes/list/selection.server';
import type { Grade } from '~/codes/look/scan-report';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import { type BulkDrawing, drawInBulk, mapInOrder } from '~/codes/pictures/drawing-pool.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { log } from '~/http/log.server';
import { passBody } from '~/http/pass-body.server';
import type { UserScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { bulkOrders } from './bulk-orders.server';
import type { FileChoice } from './choice.server';
import { namedFile } from './downloads.server';
import { uniqueFileNames } from './name.server';

type Problem =
  | 'unreadable'
  | 'grade'
  | 'caption'
  | 'too_long'
  | 'size'
  | 'gone'
  | 'given_up'
  | 'busy'
  | 'signed_out'
  | 'failed';
/** A logo that few codes share is requested again rather than kept. */
const KEPT_LOGOS = 32;

type Made = { code: Code; bytes: Uint8Array; grade: Grade | null } | { code: Code | null; problem: Problem };

/**
 * Streams a ZIP with a file for each code and `codes.csv`, which describes each file and says why one is missing. Files
 * are drawn as the ZIP is read, so only a few are in memory; a client that disconnects stops the work.
 */
export function streamZip(
  scope: UserScope,
  codes: Selection['codes'],
  choice: FileChoice,
): ReadableStream<Uint8Array> {
  const entries = zipEntries(scope, codes, choice);
  // The library stops its source by calling `throw`, which is not an error here.
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => entries.next(),
      throw: () => entries.return(undefined),
    }),
  };
  return passBody(scope.request, makeZip(source), scope.signal);
}

async function* zipEntries(scope: UserScope, codes: Selection['codes'], choice: FileChoice) {
  const t = i18nOf(scope.locale).getFixedT(null, 'files');
  const fileName = uniqueFileNames();
  const listed: ListedFile[] = [];
  const lastModified = new Date();
  const drawing = await drawInBulk(scope);
  const draw = entryDrawer(scope, drawing, choice);
  for await (const made of mapInOrder(codes, draw, drawing.concurrency)) {
    if ('problem' in made) {
      listed.push({ code: made.code, file: '', grade: null, problem: t(`zip.problems.${made.problem}`) });
      continue;
    }
    const file = fileName(namedFile(made.code, choice));
    listed.push({ code: made.code, file, grade: made.grade, problem: '' });
    yield { name: file, input: made.bytes, lastModified };
  }
  yield { name: 'codes.csv', input: writeCodesCsv(listed), lastModified };
}

/** Draws the file of a code, or says why it has none. Throws only once the client has disconnected. */
function entryDrawer(scope: UserScope, drawing: BulkDrawing, choice: FileChoice) {
  const orderOf = bulkOrders(scope, KEPT_LOGOS);
  let isSignedOut = false;
  return async (code: Code | null, index: number): Promise<Made> => {
    if (!code) return { code, problem: 'gone' };
    if (isSignedOut) return { code, problem: 'signed_out' };
    try {
      const { bytes, receipt } = await drawing.makeFile(index, await orderOf(code, choice));
      return { code, bytes, grade: receipt.scan?.grade ?? null };
    } catch (thrown) {
      if (scope.signal.aborted) throw thrown;
      const problem = problemOf(thrown);
      isSignedOut ||= problem === 'signed_out';
      return { code, problem };
    }
  };
}

function problemOf(thrown: unknown): Problem {
  if (thrown instanceof UnreadableCodeError) return 'unreadable';
  if (thrown instanceof PoorGradeError) return 'grade';
  if (thrown instanceof CaptionError) return 'caption';
  if (thrown instanceof CodeTooLongError) return 'too_long';
  if (thrown instanceof RangeError) return 'size';
  if (thrown instanceof TaskKilled) return 'given_up';
  if (thrown instanceof PoolRefusal) return 'busy';
  // What the host refuses to a session that has ended is answered by leading to the login page.
  if (thrown instanceof Response) return 'signed_out';
  log.error({ err: thrown }, 'could not make a file of a ZIP');
  return 'failed';
}

interface ListedFile {
  /** Null when the code no longer exists. */
  code: Code | null;
  /** Its file name in the folder; empty when there is no file. */
  file: string;
  /** Only for a code with its own look. */
  grade: Grade | null;
  /** Why there is no file, as text. */
  problem: string;
}

/** CSV index of the files of a folder and their codes. */
function writeCodesCsv(files: ListedFile[]): string {
  const rows = files.map(({ code, file, grade, problem }) => ({
    file,
    name: code ? nameOf(code) : '',
    content: code?.content ?? '',
    address: code?.dynamic ? code.link : '',
    tags: code?.tags.join(', ') ?? '',
    grade: grade ?? '',
    problem,
  }));
  return stringify(rows, {
    bom: true,
    header: true,
    columns: ['file', 'name', 'content', 'address', 'tags', 'grade', 'problem'],
    ...CSV_FORMAT,
  });
}
