import pino from 'pino';
import { expect, test } from 'vitest';
import { createLog } from '#host/http/log';

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
