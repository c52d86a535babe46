import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { readKey } from '#contract/api-keys';
import { isOriginOf } from '#runtime/same-origin';
import { askHost } from '~/http/host.server';
import { answerProgram, problemResponse } from '~/http/problem.server';
import { bearerOf, challengeOf, passedHeaders, programScope } from '~/http/program.server';
import type { RequestArgs, Scope } from '~/http/scope.server';

export async function loader(args: LoaderFunctionArgs) {
  return answer(args);
}

export async function action(args: ActionFunctionArgs) {
  return answer(args);
}

/** Assistants, by the Model Context Protocol over streamable HTTP, with a key. */
async function answer(args: RequestArgs): Promise<Response> {
  return answerProgram(args, async (visitor) => {
    const origin = visitor.request.headers.get('origin');
    if (origin !== null && !isOriginOf(origin, visitor.url.host))
      return problemResponse(visitor, 'forbidden');
    const token = bearerOf(visitor.request);
    if (!token) return challenge(visitor, token);
    const scope = programScope(visitor, token, 'mcp');
    const known = await askHost(scope, readKey, {});
    if (known.status === 401) return challenge(visitor, token);
    if (!known.ok)
      return new Response(await known.text(), { status: known.status, headers: passedHeaders(known) });
    const { permission } = readKey.response.parse(await known.json()).data;
    const { answerAssistant } = await import('./assistant.server');
    const { status, body, headers } = await answerAssistant(scope, permission);
    const own = { 'Cache-Control': 'no-store', 'X-Request-Id': scope.requestId };
    const limits = passedHeaders(known, ['ratelimit', 'ratelimit-policy']);
    return new Response(body, { status, headers: { ...Object.fromEntries(headers), ...limits, ...own } });
  });
}

function challenge(scope: Scope, token: string | undefined): Response {
  return problemResponse(scope, 'unauthenticated', { headers: challengeOf(token, 'mcp') });
}
