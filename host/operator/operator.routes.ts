import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { bearerOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { auditRefusedRequest, type Router } from '#host/http/mount';
import { readJson } from '#host/http/request-body';
import { isLoopbackCall } from '#host/http/request-origin';
import { CommandError, EXIT } from './command-error';
import { runCommand } from './run-command';

const CommandRequest = z.object({
  command: z.string().max(100),
  subject: z.string().max(500),
  reason: z.string().max(5_000),
  operator: z.string().max(100),
});

/**
 * Runs commands for the operator's command line while this process has the embedded database open. Only for callers on
 * this machine that can read the secret in DATA_DIR; everybody else gets a 404.
 */
export function mountOperator({ app }: Router, deps: Deps): void {
  const { operatorSecret } = deps.settings;
  if (operatorSecret === null) return;

  app.post('/operator', async (context) => {
    if (!isLoopbackCall(context) || !isOperator(context, operatorSecret)) {
      auditRefusedRequest(context, 'not_operator');
      throw new ApiError('not_found');
    }
    const parsed = CommandRequest.safeParse(await readJson(context));
    if (!parsed.success) throw new ApiError('malformed');
    try {
      return context.json({ exit: EXIT.done, result: await runCommand(deps, parsed.data) });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return context.json({ exit: error.exit, message: error.message });
    }
  });
}

function isOperator(context: Context, secret: string): boolean {
  const [given, expected] = [Buffer.from(bearerOf(context) ?? ''), Buffer.from(secret)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
