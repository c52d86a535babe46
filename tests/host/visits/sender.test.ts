import pino from 'pino';
import { expect, test } from 'vitest';
import type { Database } from '#host/db/client';
import type { VisitCounter } from '#host/visits/count';
import { createSender } from '#host/visits/sender';
import type { Spool } from '#host/visits/spool';

test('visits that arrive while the sender stops are sent too', async () => {
  const sent: unknown[] = [];
  const waiting = [1];
  const query = async ({ values }: { values: unknown[] }) => [{ id: sent.push(values[1]) }];
  const spool = {
    next: async () => {
      const [number] = waiting;
      if (number === undefined) return null;
      const batch = { lane: 'lane', number, size: 1, at: Date.now(), visits: '[0,[]]' };
      return { batches: [batch], merged: batch, isAbandoned: false, acknowledge: () => waiting.shift() };
    },
  };
  // Logging this line is the last thing the sender does.
  const write = (line: string) => {
    if (!line.includes('visits were sent') || sent.length > 1) return;
    waiting.push(2);
    sender.send();
  };
  const sender = createSender(
    { db: { query } as unknown as Database, log: pino({}, { write }) },
    spool as unknown as Spool,
    { add: () => undefined } as unknown as VisitCounter,
  );
  sender.send();
  await expect.poll(() => sent).toEqual([1, 2]);
});
