import type { LoaderFunctionArgs } from '@remix-run/node';
import { readCodeFile } from '#contract/code-files';
import type { Code } from '#contract/codes';
import type { FileChoice } from '~/codes/files/choice.server';
import { fileOrder, namedFile } from '~/codes/files/downloads.server';
import { fileNameOf } from '~/codes/files/name.server';
import type { CodeFile } from '~/codes/pictures/code-files.server';
import { draw } from '~/codes/pictures/drawing-pool.server';
import { answerProgram, problemResponse, refuseThrown } from '~/http/problem.server';
import { bearerOf, challengeOf, programScope } from '~/http/program.server';
import type { UserScope } from '~/http/scope.server';
import { codeOfProgram, etagOf, readChoice } from './file-of-program.server';
import { refuseFile } from './unreadable.server';

/** A file of a code for a program with a key; the gateway sends it here, as the website draws. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return answerProgram(args, async (visitor) => {
    const token = bearerOf(visitor.request);
    if (!token) return problemResponse(visitor, 'unauthenticated', { headers: challengeOf(token, 'api') });
    const scope = programScope(visitor, token, 'api');
    const [, format] = /^file\.(\w+)$/.exec(params.file ?? '') ?? [];
    const named = readCodeFile.params.safeParse({ id: params.id, format });
    if (!named.success) return problemResponse(scope, 'not_found');
    const { code, limits } = await codeOfProgram(scope, named.data.id);
    const answer = await fileOf(scope, code, named.data.format).catch((thrown: unknown) =>
      refuseThrown(scope, thrown),
    );
    // Refusals too: without them a page could not read why there is no file.
    for (const [name, value] of Object.entries(limits)) answer.headers.set(name, value);
    return answer;
  });
}

async function fileOf(scope: UserScope, code: Code, format: FileChoice['format']): Promise<Response> {
  const choice = readChoice(format, scope.url.searchParams);
  if ('errors' in choice) return problemResponse(scope, 'invalid', choice);
  const order = await fileOrder(scope, code, choice).catch((thrown: unknown) => refuseFile(scope, thrown));
  if (order instanceof Response) return order;
  const etag = etagOf(order, code);
  const headers = { 'Cache-Control': 'private, no-cache', ETag: etag, 'X-Request-Id': scope.requestId };
  if (isKnown(scope, etag)) return new Response(null, { status: 304, headers });
  return draw(scope, 'makeFile', order).then(
    (file) => new Response(file.bytes, { headers: { ...headers, ...headersOf(file, code, choice) } }),
    (thrown: unknown) => refuseFile(scope, thrown, order),
  );
}

function isKnown({ request }: UserScope, etag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(/,\s*/) ?? [];
  return known.some((one) => one.replace(/^W\//, '') === etag);
}

function headersOf({ bytes, contentType, receipt }: CodeFile, code: Code, choice: FileChoice) {
  const { scan } = receipt;
  const name = fileNameOf(namedFile(code, choice));
  return {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Length': String(bytes.byteLength),
    'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox",
    ...(scan?.grade && { 'Scan-Grade': `${scan.grade};read=${scan.read};of=${scan.of}` }),
  };
}
