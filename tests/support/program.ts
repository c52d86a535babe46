import { afterAll, beforeAll, beforeEach } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { callsOfPrograms, makeApiKey } from './api-keys';
import { createTestHost, type TestAccount, type TestHost } from './host';

export let host: TestHost;
export let account: TestAccount;
/** The account's key, which may change. */
export let secret: string;

/** Calls below `/api/v1`, with that key. */
export const call = callsOfPrograms(() => ({ host, secret }));

/** Opens a host for the tests of a file; each has an hour of its own, an account, and a key. */
export function setUpProgram(): void {
  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    host.clock.advance(HOUR_MS);
    await makeAccountWithKey();
  });
  afterAll(() => host.close());
}

export async function makeAccountWithKey(): Promise<void> {
  account = await host.account();
  ({ secret } = await makeApiKey(host, account));
}
