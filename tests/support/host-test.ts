import { test as base } from 'vitest';
import { createTestHost, START, type TestHost } from './host';

/** A test with its own host, whose clock is set to `START`. */
export const test = base.extend<{ host: TestHost }>({
  host: async ({ task: _task }, use) => {
    const host = await createTestHost();
    await use(host);
    await host.close();
  },
});

/** The time `days` days after `START` in the API's ISO format. */
export function afterDays(days: number): string {
  return new Date(START.getTime() + days * 86_400_000).toISOString();
}
