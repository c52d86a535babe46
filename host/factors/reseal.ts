import type { Deps } from '#host/http/deps';
import { listTotpSecrets } from './second-factor.store';
import { openTotpSecret } from './verify-code';

const BATCH = 100;

/**
 * Seals anew with the first secret what was sealed with another, so that a rotated secret can be taken off the list an
 * hour later without anybody's app becoming worthless.
 */
export async function resealSecrets(deps: Pick<Deps, 'db' | 'random' | 'settings' | 'log'>): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const rows = await listTotpSecrets(deps.db.orm, after, BATCH);
    for (const row of rows) {
      await openTotpSecret(deps, row).catch((error: unknown) =>
        deps.log.error({ err: error, account: row.accountId }, 'the secret of an app cannot be opened'),
      );
    }
    after = rows.at(-1)?.accountId ?? null;
    if (rows.length < BATCH) return;
  }
}
