import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FILE_WIDTHS, readCodeFile } from '#contract/code-files';
import type { Code } from '#contract/codes';
import type { Problem } from '#contract/errors';
import { readPublicCode } from '#contract/public-codes';
import type { FileChoice } from '~/codes/files/choice.server';
import type { FileOrder } from '~/codes/pictures/code-files.server';
import { askHost } from '~/http/host.server';
import { OF_KEYS, passedHeaders } from '~/http/program.server';
import type { UserScope } from '~/http/scope.server';

/** A code that the key of a program finds, and what is left of its limit; throws the refusal of the host. */
export async function codeOfProgram(
  scope: UserScope,
  id: string,
): Promise<{ code: Code; limits: Record<string, string> }> {
  const answer = await askHost(scope, readPublicCode, { params: { id } });
  if (!answer.ok) {
    const headers = {
      ...passedHeaders(answer),
      'Cache-Control': 'no-store',
      'X-Request-Id': scope.requestId,
    };
    throw new Response(await answer.text(), { status: answer.status, headers });
  }
  const { data } = readPublicCode.response.parse(await answer.json());
  return { code: data, limits: passedHeaders(answer, OF_KEYS) };
}

const FileQuery = readCodeFile.query.strict();

type Mistake = Problem['errors'][number];

interface Limits {
  widths?: { least: number; most: number; usual: number };
  /** Where pointers to mistakes begin. */
  start?: string;
}

/** The file that is asked for, or everything that is wrong with it. */
export function readChoice(
  format: FileChoice['format'],
  search: URLSearchParams,
  { widths = FILE_WIDTHS[format], start = '?' }: Limits = {},
): FileChoice | { errors: Mistake[] } {
  const { least, most, usual } = widths;
  const query = FileQuery.safeParse(Object.fromEntries(search));
  const unit = format === 'pdf' ? 'millimetres' : 'pixels';
  const messages: Record<string, string> = {
    size: `Send a whole number of ${unit} from ${least} to ${most}.`,
    variant: 'Send tracked or direct.',
  };
  const mistake = (name: string, code: string) => ({
    pointer: `${start}${name}`,
    code,
    message: messages[name] ?? '',
  });
  if (!query.success)
    return {
      errors: query.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((name) => unknownField(`${start}${name}`))
          : mistake(String(issue.path[0]), issue.message),
      ),
    };
  const { size = usual, variant } = query.data;
  if (Number(size) >= least && Number(size) <= most) return { format, size: Number(size), variant };
  return { errors: [mistake('size', 'file_size_invalid')] };
}

export function unknownField(pointer: string): Mistake {
  const message = 'There is no field or parameter with this name here.';
  return { pointer, code: 'field_unknown', message };
}

/** The program that draws; absent while developing. */
const DRAWING = 'build/drawing/drawing-process.js';

let wayOfDrawing: string | undefined;

/** What a file is drawn from, and by which release. */
export function etagOf({ logo: _picture, ...order }: FileOrder, { logo }: Code): string {
  wayOfDrawing ??= readWayOfDrawing();
  return `"${hash([wayOfDrawing, order, logo])}"`;
}

function readWayOfDrawing(): string {
  try {
    return hash(readFileSync(DRAWING, 'utf8'));
  } catch {
    return '';
  }
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
