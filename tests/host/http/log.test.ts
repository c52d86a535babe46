import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog, createRepeatedError } from '#runtime/log';

afterEach(() => {
  vi.useRealTimers();
});

/** An error as it is logged. */
function written(error: Error): string {
  const log = createLog('host', 'silent') as unknown as Record<
    symbol,
    Record<string, (thrown: Error) => unknown>
  >;
  return JSON.stringify(log[pino.symbols.serializersSym]?.err?.(error));
}

test('a failed query is logged without its parameters, with its cause and stack', () => {
  const error = new Error(
    'Failed query: select 1 from accounts where email = $1\nparams: ada@test.example,$argon2id',
    {
      cause: new Error('connection refused'),
    },
  );
  const text = written(error);
  expect(text).not.toMatch(/ada@test|argon2id/);
  expect(text).toContain('select 1 from accounts');
  expect(text).toContain('connection refused');
  expect(text).toContain('log.test.ts');
});

test('of repeated errors the first is logged at once, and the others every ten seconds with their number', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: object[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  const error = createRepeatedError(log, 'it failed');
  const line = (of: number, failures: number) => ({ level: 50, of, failures, msg: 'it failed' });
  error.add({ of: 1 });
  expect(lines).toEqual([line(1, 1)]);
  vi.advanceTimersByTime(9_999);
  error.add({ of: 2 });
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(1);
  error.add({ of: 3 });
  expect(lines).toEqual([line(1, 1), line(3, 2)]);
  error.flush();
  expect(lines).toHaveLength(2);
  error.add({ of: 4 }, 7);
  error.flush();
  expect(lines.at(-1)).toEqual(line(4, 7));
});
