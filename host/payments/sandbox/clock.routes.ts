import { z } from 'zod';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { readJson } from '#host/http/request-body';
import { isLoopbackCall, requireSameOriginJson } from '#host/http/request-origin';

import { advanceTo } from './clock';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
type Unit = keyof typeof UNIT_MS;

const Body = z.object({ advance: z.string().regex(/^(?:\d{1,6}[smhdw]\s*)+$/) });
const MAX_ADVANCE_MS = 10 * 366 * UNIT_MS.d;

/**
 * `POST /sandbox/clock {"advance":"49h"}` moves the product's clock forward, for callers on this machine. It stops at
 * everything that falls due on the way and does it, and responds when all is done.
 */
export function mountSandboxClock({ app }: Router, deps: Deps): void {
  const { clock, db } = deps;
  let previous: Promise<unknown> = Promise.resolve();

  app.post('/sandbox/clock', async (context) => {
    if (!isLoopbackCall(context) || !clock.set) throw new ApiError('not_found');
    requireSameOriginJson(context);
    const body = Body.safeParse(await readJson(context));
    if (!body.success) throw invalidField('advance', 'advance_invalid');
    const ms = durationOf(body.data.advance);
    if (ms > MAX_ADVANCE_MS) throw invalidField('advance', 'advance_too_long');
    const moved = previous.then(() => advanceTo(deps, new Date(clock.now().getTime() + ms)));
    previous = moved.catch(() => undefined);
    await moved;
    await clock.keep?.(db.orm);
    return context.json({ data: { now: clock.now().toISOString() } });
  });
}

/** `1d 12h` in milliseconds. */
function durationOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smhdw])/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as Unit], 0);
}
