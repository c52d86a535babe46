import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { Database } from '#host/db/client';
import type { VisitCounter } from '#host/visits/count/count';
import { Sender } from '#host/visits/spool/sender';
import type { Spool } from '#host/visits/spool/spool';

const counter = { add: () => undefined } as unknown as VisitCounter;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('a sender tries the database again at least every quarter of a second, however long it is away', async () => {
  const { setTimeout: pass } = timers;
  const waits: (number | undefined)[] = [];
  // Hosts of other tests in this process wait as well.
  const isOwn = new AsyncLocalStorage<true>();
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value, options) => {
    if (!isOwn.getStore()) return pass(ms, value, options);
    waits.push(ms);
  });
  syncBuiltinESMExports();
  const sent: unknown[] = [];
  const query = async ({ values }: { values: unknown[] }) => {
    if (waits.length < 100) throw new Error('connect ECONNREFUSED');
    return [{ id: sent.push(values[1]) }];
  };
  const batch = { lane: 'lane', number: 1, size: 1, at: 0, visits: '[0,[]]' };
  const chunk = { batches: [batch], merged: batch, isAbandoned: false, acknowledge: () => undefined };
  const next = async () => (sent.length === 0 ? chunk : null);
  const db = { query } as unknown as Database;
  const log = pino({ level: 'silent' });
  const sender = new Sender({ db, log }, { next } as unknown as Spool, counter);
  isOwn.run(true, () => sender.send());
  await sender.idle();
  expect(sent).toEqual([1]);
  expect(waits).toEqual([100, 200, ...Array(98).fill(250)]);
  expect(sender.isDatabaseDown()).toBe(false);
});

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
  const sender = new Sender(
    { db: { query } as unknown as Database, log: pino({}, { write }) },
    spool as unknown as Spool,
    counter,
  );
  sender.send();
  await expect.poll(() => sent).toEqual([1, 2]);
});
