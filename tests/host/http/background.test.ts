import pino from 'pino';
import { expect, test } from 'vitest';
import { startBackgroundWork } from '#host/http/background';

test('work on its way hears that the host stops, and is waited for', async () => {
  let finish = (): void => undefined;
  let wasToldToStop = false;
  const deps = { clock: { now: () => new Date(0) }, log: pino({ level: 'silent' }) };
  const stop = startBackgroundWork(deps, [
    {
      name: 'long',
      everyMs: 60_000,
      run: async (_now, stopping) => {
        await new Promise<void>((done) => {
          finish = done;
        });
        wasToldToStop = stopping.aborted;
      },
    },
  ]);
  let isOver = false;
  const over = stop().then(() => {
    isOver = true;
  });
  await new Promise((later) => setImmediate(later));
  expect(isOver).toBe(false);
  finish();
  await over;
  expect(wasToldToStop).toBe(true);
});
