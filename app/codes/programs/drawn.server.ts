import { z } from 'zod';
import { FILE_WIDTHS, readCodeFile } from '#contract/code-files';
import { fileOrder } from '~/codes/files/downloads.server';
import { examineIfPossible } from '~/codes/look/examination.server';
import { draw } from '~/codes/pictures/drawing-pool.server';
import { problemResponse } from '~/http/problem.server';
import type { UserScope } from '~/http/scope.server';
import { codeOfProgram, readChoice } from './file-of-program.server';
import { gradeText, refuseFile } from './unreadable.server';

/** What a tool hands to the assistant: `picture` is a PNG. */
export interface Answer {
  data: Record<string, unknown>;
  picture?: Uint8Array;
}

/** In pixels. An assistant reads all of a picture: it gets none as large as a file for print. */
export const PICTURE_WIDTHS = { least: FILE_WIDTHS.png.least, most: 1024, usual: 512 } as const;

/** What is said of a picture. */
export const Drawn = z.object({
  grade: z.string().nullable().describe('A, B or C; null if it was not graded.'),
  about: z.string().describe('How the grade came about.'),
  holds: z.string().describe('What decoders read from exactly these bytes.'),
  minPrintMm: z.number().describe('Print it at least this wide, in millimetres.'),
});

/** The PNG of a code, read back, with its grade. */
export async function drawForAssistant(
  scope: UserScope,
  input: Record<string, unknown>,
): Promise<Answer | Response> {
  const { id, ...others } = input;
  const named = readCodeFile.params.safeParse({ id, format: 'png' });
  if (!named.success) return problemResponse(scope, 'not_found');
  const { code } = await codeOfProgram(scope, named.data.id);
  const wanted = Object.entries(others).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const choice = readChoice('png', new URLSearchParams(wanted), { widths: PICTURE_WIDTHS, start: '/' });
  if ('errors' in choice) return problemResponse(scope, 'invalid', choice);
  const order = await fileOrder(scope, code, choice).catch((thrown: unknown) => refuseFile(scope, thrown));
  if (order instanceof Response) return order;
  try {
    const { bytes, receipt } = await draw(scope, 'makeFile', order);
    // Dark squares on white need no grade for a file; here it is asked for.
    const scan = receipt.scan ?? (await examineIfPossible(scope, order))?.scan;
    const { readBack: holds, minPrintMm } = receipt;
    const about = scan ? gradeText(scan) : 'A decoder read it back.';
    return { data: { grade: scan?.grade ?? null, about, holds, minPrintMm }, picture: bytes };
  } catch (thrown) {
    return refuseFile(scope, thrown, order);
  }
}
