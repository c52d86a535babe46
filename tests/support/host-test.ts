import { test as base } from 'vitest';
import { createTestHost, START, type TestHost } from './host';

/** A test with a host of its own, whose clock stands at the beginning. */
export const test = base.extend<{ host: TestHost }>({
  host: async ({ task: _task }, use) => {
    const host = await createTestHost();
    await use(host);
    await host.close();
  },
});

/** The moment so many days after the beginning, as the API writes it. */
export function afterDays(days: number): string {
  return new Date(START.getTime() + days * 86_400_000).toISOString();
}
