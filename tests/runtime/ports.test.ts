import { expect, test } from 'vitest';
import { findFreePort } from '../../runtime/ports.mjs';

test('a port that is reserved for another program is not chosen', async () => {
  const refused: number[] = [];
  const port = await findFreePort((found: number) => refused.length < 3 && refused.push(found) > 0);
  expect(refused).toHaveLength(3);
  expect(refused).not.toContain(port);
});
