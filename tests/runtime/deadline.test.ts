import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withDeadline } from '#runtime/deadline';

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

test('work ends at its deadline, even after a garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 10);
  const work = withDeadline(200, new AbortController().signal, untilAborted);
  await expect(work).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
  clearInterval(collecting);
});

test('work ends together with another signal, which may have been aborted already', async () => {
  const other = new AbortController();
  const work = withDeadline(60_000, other.signal, untilAborted);
  other.abort(new Error('stopping'));
  await expect(work).rejects.toThrow('stopping');
  const late = withDeadline(60_000, other.signal, async ({ aborted }) => aborted);
  expect(await late).toBe(true);
});
